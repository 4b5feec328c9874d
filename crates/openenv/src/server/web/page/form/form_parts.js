// Small parts that fields of a form are made of.

import { html } from '../vendor/preact.js';

const FORM_DRAWINGS = {
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  remove: 'M4 4l8 8M12 4l-8 8',
  add: 'M8 3v10M3 8h10',
  show: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  hide: 'M2 2l12 12M6.5 3.7c5-1 8 4.3 8 4.3s-.7 1.3-2 2.5M3.9 5C2.3 6.3 1.5 8 1.5 8S4 12.5 8 12.5c1 0 2-.3 2.8-.7',
  lock: 'M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3.5 7h9v6.5h-9z',
  dice: 'M2.5 2.5h11v11h-11zM5.5 5.5h.01M10.5 5.5h.01M8 8h.01M5.5 10.5h.01M10.5 10.5h.01',
  before: 'M10 3L5 8l5 5',
  after: 'M6 3l5 5-5 5',
  fold: 'M6 3l5 5-5 5',
  problem: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.5v.1',
};

export function FormIcon({ name }) {
  return html`<svg class="form-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${FORM_DRAWINGS[name]} /></svg>`;
}

export function FormIconButton({ icon, label, onClick, onKeyDown, disabled, pressed, className = '' }) {
  return html`<button type="button" class=${`form-icon-button ${className}`} aria-label=${label} title=${label} aria-pressed=${pressed}
    disabled=${disabled} onClick=${onClick} onKeyDown=${onKeyDown}><${FormIcon} name=${icon} /></button>`;
}

export function SmallButton({ icon, onClick, disabled, children, label, pressed }) {
  return html`<button type="button" class="form-small-button" onClick=${onClick} disabled=${disabled} aria-label=${label} aria-pressed=${pressed}>
    ${icon && html`<${FormIcon} name=${icon} />`}${children}
  </button>`;
}

/** What is wrong with a field. The place is always there, so that screen readers announce what comes into it. */
export function FieldErrors({ id, messages }) {
  return html`<div id=${id} class="form-errors" aria-live="polite">
    ${messages.map((message) => html`<p class="form-error" key=${message}><${FormIcon} name="problem" /><span><${CodeText} text=${message} /></span></p>`)}
  </div>`;
}

/** Text in which `names` stand between backticks. */
export function CodeText({ text }) {
  return text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part));
}

/** The first paragraph of what a schema says about a place. */
export function hintText(description) {
  if (typeof description !== 'string') return '';
  const [first] = description.trim().split(/\n\s*\n/);
  const line = first.replace(/\s+/g, ' ');
  return line.length > 320 ? `${line.slice(0, 319)}…` : line;
}
