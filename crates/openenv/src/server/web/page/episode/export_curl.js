// A shell script that plays an episode again, over plain HTTP.

const LONGEST_ARGUMENT = 30_000;

/** A word that a POSIX shell takes as it is. */
export function shellQuote(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlProgram(replay) {
  const lines = [
    '#!/bin/sh',
    `# Plays episode ${replay.episode} of ${replay.environment} again.`,
    ...replay.notes.map((note) => `# Note: ${note}.`),
  ];
  if (replay.calls.some((call) => call.kind === 'tool')) {
    lines.push('# Tools are called as steps here: plain HTTP has no other way to stay in one session.');
  }
  lines.push(
    'set -eu',
    `base=${shellQuote(`${replay.base}/web`)}`,
    '# A session of its own, so that nobody else is disturbed.',
    'session="replay-$(date +%s)-$$"',
    '',
    'post() {',
    '  status=0',
    `  curl -sS --fail-with-body -X POST "$base/$1?session=$session" -H 'content-type: application/json' --data-binary "$2" || status=$?`,
    '  echo',
    '  return "$status"',
    '}',
    '',
  );
  for (const call of replay.calls) {
    if (call.failure !== null) lines.push(`# failed when it was recorded: ${call.failure}`);
    const [route, body] = curlRequest(call);
    const text = JSON.stringify(body);
    const goesOn = call.failure === null ? '' : ' || true';
    if (text.length < LONGEST_ARGUMENT) lines.push(`post ${route} ${shellQuote(text)}${goesOn}`);
    // Longer than some systems take as an argument; a document of one line of JSON cannot end early.
    else lines.push(`post ${route} @- <<'END_OF_JSON'${goesOn}`, text, 'END_OF_JSON');
  }
  return `${lines.join('\n')}\n`;
}

function curlRequest(call) {
  if (call.kind === 'reset') return ['reset', call.request];
  if (call.kind === 'step') return ['step', { action: call.request }];
  return ['step', { action: { type: 'call_tool', tool_name: call.request.name, arguments: call.request.arguments ?? {} } }];
}
