// Tells one environment from another: what was typed for one makes no sense in the form of another.

export function contractKey(about) {
  return `${about?.name ?? ''}:${shortHash(JSON.stringify(about?.contract?.action ?? null))}`;
}

// FNV-1a: short, and the same in every tab.
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
