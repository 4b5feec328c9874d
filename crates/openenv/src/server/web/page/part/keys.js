// Which key presses are for the page and not for what has the focus.

const OWN_ARROWS = '[role=tree],[role=listbox],[role=tablist],[role=menu],[role=grid],[role=radiogroup],[role=slider],input,select,textarea,dialog';
const SEQUENCE_MS = 1200;

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');
export const MOD = isMac ? '⌘' : 'Ctrl';

export function isTypingTarget(target) {
  if (!target?.closest) return false;
  if (target.isContentEditable) return true;
  const field = target.closest('input,textarea,select');
  return Boolean(field) && !['checkbox', 'radio', 'button', 'range'].includes(field.type);
}

// The name of a key press as the page knows it: 'g p', 'j', '?', 'mod+Enter'; null if it is not for the page.
export class KeyReader {
  #prefixAt = 0;

  read(event) {
    if (event.defaultPrevented || event.isComposing || event.altKey) return null;
    if (event.ctrlKey || event.metaKey) return event.key === 'Enter' ? 'mod+Enter' : null;
    if (isTypingTarget(event.target)) return null;
    if (event.target?.closest?.('dialog')) return null;
    const now = event.timeStamp;
    const prefixed = this.#prefixAt > 0 && now - this.#prefixAt < SEQUENCE_MS;
    this.#prefixAt = 0;
    if (prefixed && /^[a-z]$/.test(event.key)) return `g ${event.key}`;
    if (event.key === 'g') {
      this.#prefixAt = now || 1;
      return null;
    }
    if (/^Arrow/.test(event.key)) return event.target?.closest?.(OWN_ARROWS) ? null : event.key;
    if (event.key.length === 1) return event.key;
    return null;
  }
}
