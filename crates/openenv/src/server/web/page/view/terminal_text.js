// Text as programs print it: line breaks kept, colours of terminals shown.

import { html, useMemo, useState } from '../vendor/preact.js';
import { ansiPieces, hasAnsi } from '../episode/ansi.js';
import { countText } from '../episode/format.js';

const SHOWN_LENGTH = 20_000;

/** Keys that scroll a text do not also move through the steps. */
export function keepScrollKeys(event) {
  if (['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End', ' '].includes(event.key)) event.stopPropagation();
}

function ansiClass(look) {
  const names = ['bold', 'faint', 'italic', 'underline', 'strike', 'inverse'].filter((name) => look[name]).map((name) => `ansi-${name}`);
  if (typeof look.color === 'number') names.push(`ansi-c${look.color}`);
  if (typeof look.background === 'number') names.push(`ansi-b${look.background}`);
  return names.join(' ');
}

function ansiStyle(look) {
  const style = {};
  if (typeof look.color === 'string') style.color = look.color;
  if (typeof look.background === 'string') style.background = look.background;
  return style;
}

/** Text without the codes that colour it, in these colours. */
export function ColouredText({ text }) {
  const pieces = useMemo(() => ansiPieces(text), [text]);
  return pieces.map((piece) => html`<span class=${ansiClass(piece.look)} style=${ansiStyle(piece.look)}>${piece.text}</span>`);
}

export function TerminalText({ text, label }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHOWN_LENGTH;
  const shown = isCut ? text.slice(0, SHOWN_LENGTH) : text;
  const isColoured = hasAnsi(shown);
  return html`<div class="terminal">
    <pre class="terminal-text${isColoured ? ' terminal-screen' : ''}" tabindex="0" role="group" onKeyDown=${keepScrollKeys} aria-label=${label ?? 'text'}>${isColoured ? html`<${ColouredText} text=${shown} />` : shown}</pre>
    ${isCut ? html`<button type="button" class="views-link" onClick=${(event) => { event.stopPropagation(); setWhole(true); }}>Show all ${countText(text.length, 'character')}</button>` : null}
  </div>`;
}
