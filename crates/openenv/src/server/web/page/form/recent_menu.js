// A menu of values to take over: those sent before, and examples.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { maskSecrets } from '../episode/episode.js';

const MOST_RECENT = 20;
const LONGEST_ENTRY = 90;

function entryText(value) {
  const text = JSON.stringify(maskSecrets(value)) ?? '';
  return text.length > LONGEST_ENTRY ? `${text.slice(0, LONGEST_ENTRY - 1)}…` : text;
}

export function RecentMenu({ history, examples, onPick, disabled }) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef(null);
  const opener = useRef(null);
  const close = (goesBack) => {
    setOpen(false);
    if (goesBack) opener.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    frame.current.querySelector('[role=menuitem]')?.focus();
    const onAway = (event) => frame.current?.contains(event.target) || setOpen(false);
    document.addEventListener('pointerdown', onAway);
    document.addEventListener('focusin', onAway);
    return () => {
      document.removeEventListener('pointerdown', onAway);
      document.removeEventListener('focusin', onAway);
    };
  }, [isOpen]);
  if (history.length === 0 && examples.length === 0) return null;
  const onKeyDown = (event) => {
    const items = [...frame.current.querySelectorAll('[role=menuitem]')];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape') close(true);
    else if (to !== undefined && !event.altKey) items[(to + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const entry = (value, index) => html`<button type="button" key=${index} role="menuitem" tabindex="-1" class="form-recent-item" onClick=${() => { close(true); onPick(value); }}>${entryText(value)}</button>`;
  return html`<div class="form-recent" ref=${frame}>
    <button type="button" ref=${opener} class="form-small-button" aria-haspopup="menu" aria-expanded=${isOpen} disabled=${disabled} title="Take over an earlier one (Alt ↑ and Alt ↓)"
      onClick=${() => setOpen(!isOpen)}>${history.length > 0 ? 'Recent' : 'Examples'}</button>
    ${isOpen && html`<div class="form-recent-list" role="menu" aria-label="Take over" onKeyDown=${onKeyDown}>
      ${history.slice(0, MOST_RECENT).map(entry)}
      ${examples.length > 0 && html`<div class="form-recent-heading" role="presentation">Examples</div>`}
      ${examples.map(entry)}
    </div>`}
  </div>`;
}
