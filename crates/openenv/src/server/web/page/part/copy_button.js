// Copying to the clipboard.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { ViewIcon } from '../view/view_icon.js';

/** Copies a text; also on pages that are not served over TLS, where browsers hide the clipboard. */
export async function writeClipboard(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed: the old way may still be.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'copy-area';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  area.remove();
  focused?.focus?.();
  return copied;
}

/** `text` may be a function, for what is costly to write out. */
export function CopyButton({ text, label = 'Copy', compact = false, icon = 'copy', tabIndex }) {
  const [outcome, setOutcome] = useState(null);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onClick = async (event) => {
    event.stopPropagation();
    const copied = await writeClipboard(typeof text === 'function' ? text() : text);
    setOutcome(copied ? 'Copied' : 'Could not copy');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(null), 1500);
  };
  return html`<button type="button" class=${compact ? 'copy-button copy-compact' : 'copy-button'} onClick=${onClick}
    tabindex=${tabIndex} title=${label} aria-label=${outcome ?? label}>
    <${ViewIcon} name=${outcome === 'Copied' ? 'check' : icon} />
    ${compact ? null : html`<span aria-live="polite">${outcome ?? label}</span>`}
  </button>`;
}
