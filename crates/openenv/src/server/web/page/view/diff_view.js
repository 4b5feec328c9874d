// Differences, readable.

import { html, useMemo, useState } from '../vendor/preact.js';
import { stripAnsi } from '../episode/ansi.js';
import { diffValues, pathText } from '../episode/diff.js';
import { countText } from '../episode/format.js';
import { JsonTree } from './json_tree.js';
import { keepScrollKeys } from './terminal_text.js';

const SHOWN_CELLS = 12;
const SHORT_VALUE = 80;
const CONTEXT_LINES = 3;
const SIGNS = { added: '+', removed: '−', changed: '~' };

/** `nothing` is said where the values are equal. */
export function DiffView({ before, after, nothing = 'Nothing changed.' }) {
  const diff = useMemo(() => diffValues(before, after), [before, after]);
  const counts = useMemo(() => {
    const count = { added: 0, removed: 0, changed: 0 };
    for (const entry of diff.entries) count[entry.kind] += 1;
    return count;
  }, [diff]);
  if (diff.entries.length === 0 && diff.complete) return html`<p class="inspector-none">${nothing}</p>`;
  return html`<div class="diff">
    <p class="diff-summary">
      ${['added', 'removed', 'changed'].filter((kind) => counts[kind] > 0).map((kind) => html`<span class="diff-count diff-${kind}">${SIGNS[kind]} ${counts[kind]} ${kind}</span>`)}
      ${diff.complete ? null : html`<span class="diff-limit">too large to compare in full</span>`}
    </p>
    <ul class="diff-list">${diff.entries.map((entry) => html`<${DiffEntry} key=${`${entry.kind}${pathText(entry.path)}`} entry=${entry} />`)}</ul>
  </div>`;
}

function DiffEntry({ entry }) {
  return html`<li class="diff-entry diff-${entry.kind}">
    <span class="diff-sign"><span aria-hidden="true">${SIGNS[entry.kind]}</span><span class="views-hidden">${entry.kind}</span></span>
    <code class="diff-path">${pathText(entry.path) || 'value'}</code>
    <div class="diff-body">${diffBody(entry)}</div>
  </li>`;
}

function diffBody(entry) {
  if (entry.skipped) return html`<span class="diff-limit">not compared: the values are too large</span>`;
  if (entry.kind === 'added') return html`<${DiffValue} value=${entry.after} tone="added" />`;
  if (entry.kind === 'removed') return html`<${DiffValue} value=${entry.before} tone="removed" />`;
  if (entry.cells) return html`<${DiffCells} entry=${entry} />`;
  if (entry.text && entry.text.parts.every((part) => part.kind === 'same')) return html`<span class="diff-limit">the same text in other colours</span>`;
  if (entry.text && (entry.text.unit === 'line' || entry.before.length + entry.after.length > 40)) return html`<${DiffText} text=${entry.text} />`;
  return html`<${DiffValue} value=${entry.before} tone="removed" /><span class="diff-arrow" aria-label="became">→</span><${DiffValue} value=${entry.after} tone="added" />
    ${typeof entry.before === 'number' && typeof entry.after === 'number' ? html`<span class="diff-delta">${diffDelta(entry.after - entry.before)}</span>` : null}`;
}

function diffNumber(value) {
  return String(typeof value === 'number' ? Number(value.toPrecision(6)) : value);
}

function diffDelta(delta) {
  const short = Number(delta.toPrecision(6));
  return short > 0 ? `(+${short})` : `(−${Math.abs(short)})`;
}

function DiffValue({ value, tone }) {
  const text = JSON.stringify(typeof value === 'string' ? stripAnsi(value) : value) ?? 'undefined';
  if (text.length <= SHORT_VALUE) return html`<code class="diff-value diff-value-${tone}">${text}</code>`;
  return html`<div class="diff-value diff-value-${tone} diff-value-large"><${JsonTree} value=${value} label=${tone} /></div>`;
}

function DiffCells({ entry }) {
  const [isOpen, setOpen] = useState(false);
  const cells = isOpen ? entry.cells : entry.cells.slice(0, SHOWN_CELLS);
  return html`<div class="diff-cells">
    <p>${entry.changed.toLocaleString('en')} of ${countText(entry.total, 'number')} differ</p>
    <p class="diff-cell-list">${cells.map((cell) => html`<code class="diff-cell">${pathText(cell.path)} <del>${diffNumber(cell.before)}</del> <ins>${diffNumber(cell.after)}</ins></code>`)}</p>
    ${!isOpen && entry.cells.length > SHOWN_CELLS ? html`<button type="button" class="views-link" onClick=${() => setOpen(true)}>Show ${entry.cells.length - SHOWN_CELLS} more</button>` : null}
    ${isOpen && entry.changed > entry.cells.length ? html`<p class="diff-limit">and ${(entry.changed - entry.cells.length).toLocaleString('en')} more</p>` : null}
  </div>`;
}

/** Texts with what was taken out and put in; long stretches that stayed are folded. */
export function DiffText({ text }) {
  if (text.unit === 'word') {
    return html`<p class="diff-words">${text.parts.map((part) => part.kind === 'added' ? html`<ins>${part.text}</ins>` : part.kind === 'removed' ? html`<del>${part.text}</del>` : html`<span>${part.text}</span>`)}</p>`;
  }
  return html`<div class="diff-lines" role="group" aria-label="Changed lines" tabindex="0" onKeyDown=${keepScrollKeys}>${text.parts.map((part, at) => {
    const lines = part.text.replace(/\n$/, '').split('\n');
    if (part.kind !== 'same') return lines.map((line) => html`<div class="diff-line diff-line-${part.kind}"><span aria-hidden="true">${SIGNS[part.kind]}</span><span class="views-hidden">${part.kind}: </span>${line || ' '}</div>`);
    const head = at === 0 ? 0 : CONTEXT_LINES;
    const tail = at === text.parts.length - 1 ? 0 : CONTEXT_LINES;
    if (lines.length <= head + tail + 1) return lines.map((line) => html`<div class="diff-line"><span> </span>${line}</div>`);
    return [
      ...lines.slice(0, head).map((line) => html`<div class="diff-line"><span> </span>${line}</div>`),
      html`<div class="diff-fold">${countText(lines.length - head - tail, 'equal line')}</div>`,
      ...lines.slice(lines.length - tail).map((line) => html`<div class="diff-line"><span> </span>${line}</div>`),
    ];
  })}</div>`;
}
