// How the session of this tab is doing, in words.

export function connectionText({ phase, message }) {
  if (phase === 'connecting') return 'Connecting…';
  if (phase === 'idle') return 'No session: looking needs none';
  if (phase === 'full') return `No session: ${message}`;
  if (phase === 'failed') return `No session: ${message.replace(/\.$/, '')}; the server’s log says why`;
  return `${(message ?? 'not connected').replace(/^./, (letter) => letter.toUpperCase())}…`;
}
