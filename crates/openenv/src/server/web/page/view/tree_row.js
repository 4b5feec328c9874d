// One row of a tree: a name, a value, and what can be done with it.

import { html, useState } from '../vendor/preact.js';
import { hasAnsi, stripAnsi } from '../episode/ansi.js';
import { CopyButton } from '../part/copy_button.js';
import { isSecretName } from '../episode/episode.js';
import { bytesText, countText } from '../episode/format.js';
import { HeatMap, hasHeatMap, heatMapName } from './heat_map.js';
import { ViewIcon } from './view_icon.js';
import { Picture } from './picture.js';
import { ColouredText, TerminalText } from './terminal_text.js';
import { isLongText, isPlainList, numericShape, shapeText } from '../episode/tree_model.js';

const PREVIEW_NUMBERS = 12;
const PREVIEW_KEYS = 5;
const PREVIEW_TEXT = 120;

export function TreeRow({ row, at, label, isFocusable, isMatch, isCurrent, isDrawn, onToggle, onFocus, onDraw, copyValue, copyPath }) {
  const name = row.depth === 0 ? label : row.path[row.depth - 1];
  const shape = row.type === 'list' ? numericShape(row.value) : null;
  const canDraw = hasHeatMap(shape);
  const tab = isFocusable ? 0 : -1;
  const marks = `${isMatch ? ' tree-match' : ''}${isCurrent ? ' tree-current' : ''}`;
  return html`<div class="tree-row tree-${row.type}${marks}" role="treeitem" aria-level=${row.depth + 1} aria-setsize=${row.siblings} aria-posinset=${row.position}
    aria-expanded=${row.isFoldable ? String(row.isOpen) : undefined} aria-selected=${isFocusable ? 'true' : 'false'} data-at=${at} tabindex=${tab} style=${{ '--depth': row.depth }}
    onFocus=${(event) => event.target === event.currentTarget && onFocus(row.pointer)}>
    <div class="tree-line" onClick=${() => { onFocus(row.pointer); if (row.isFoldable && String(getSelection()) === '') onToggle(row); }}>
      <span class="tree-twisty${row.isOpen ? ' tree-open' : ''}" aria-hidden="true">${row.isFoldable ? html`<${ViewIcon} name="next" />` : null}</span>
      <span class=${typeof name === 'number' ? 'tree-index' : 'tree-key'}>${name}</span>
      <${TreeValue} row=${row} shape=${shape} name=${name} />
      ${canDraw ? html`<button type="button" class="views-link tree-draw" tabindex=${tab} aria-pressed=${isDrawn} onClick=${(event) => { event.stopPropagation(); onDraw(); }}>${isDrawn ? `Hide ${heatMapName(shape).toLowerCase()}` : heatMapName(shape)}</button>` : null}
      <span class="tree-actions">
        <${CopyButton} compact=${true} label="Copy the value of ${name}" text=${copyValue} tabIndex=${tab} />
        <${CopyButton} compact=${true} icon="path" label="Copy the path ${copyPath}" text=${copyPath} tabIndex=${tab} />
      </span>
    </div>
    ${isDrawn && canDraw ? html`<div class="tree-detail"><${HeatMap} value=${row.value} shape=${shape} /></div>` : null}
    ${row.isOpen && row.image ? html`<div class="tree-detail"><${Picture} image=${row.image} label=${String(name)} /></div>` : null}
    ${row.isOpen && !row.image && isLongText(row.value) ? html`<div class="tree-detail"><${TerminalText} text=${row.value} label=${String(name)} /></div>` : null}
  </div>`;
}

function TreeValue({ row, shape, name }) {
  const { value, type } = row;
  if (row.image) return html`<span class="tree-dim">image · ${row.image.mediaType.replace('image/', '')} · ${bytesText(row.image.bytes)}</span>`;
  if (type === 'list' || type === 'object') return html`<${BranchPreview} row=${row} shape=${shape} />`;
  if (type !== 'string') return html`<span class="tree-value tree-${type}-value">${String(value)}</span>`;
  if (typeof name === 'string' && isSecretName(name) && value !== '') return html`<${SecretText} text=${value} />`;
  if (!isLongText(value) && hasAnsi(value)) return html`<span class="tree-value tree-coloured"><${ColouredText} text=${value} /></span>`;
  if (!isLongText(value)) return html`<span class="tree-value tree-string-value">${JSON.stringify(value)}</span>`;
  const lines = value.split('\n');
  const size = lines.length > 1 ? countText(lines.length, 'line') : countText(value.length, 'character');
  const first = stripAnsi(lines[0]);
  return html`<span class="tree-dim">text · ${size}</span>${row.isOpen ? null : html`<span class="tree-value tree-string-value tree-cut">${JSON.stringify(first.slice(0, PREVIEW_TEXT))}</span>`}`;
}

function BranchPreview({ row, shape }) {
  const { value, type, size } = row;
  if (shape) {
    const flat = value.slice(0, PREVIEW_NUMBERS).flat(Infinity);
    const preview = `${flat.slice(0, PREVIEW_NUMBERS).join(', ')}${flat.length > PREVIEW_NUMBERS || size > PREVIEW_NUMBERS ? ', …' : ''}`;
    return html`<span class="tree-dim">${shapeText(shape)}</span>${row.isOpen ? null : html`<span class="tree-value tree-number-value tree-cut">[${preview}]</span>`}`;
  }
  if (!row.isOpen && isPlainList(value)) return html`<span class="tree-dim">list · ${size}</span><span class="tree-value tree-string-value tree-cut">[${value.map((item) => JSON.stringify(typeof item === 'string' ? stripAnsi(item) : item)).join(', ')}]</span>`;
  if (type === 'list') return html`<span class="tree-dim">${size === 0 ? 'empty list' : `list · ${size.toLocaleString('en')}`}</span>`;
  if (size === 0) return html`<span class="tree-dim">empty object</span>`;
  if (row.isOpen) return html`<span class="tree-dim">object · ${size.toLocaleString('en')}</span>`;
  const keys = Object.keys(value);
  return html`<span class="tree-dim tree-cut">{ ${keys.slice(0, PREVIEW_KEYS).join(', ')}${keys.length > PREVIEW_KEYS ? ', …' : ''} }</span>`;
}

/** What is named like a secret is shown when asked for. */
function SecretText({ text }) {
  const [isShown, setShown] = useState(false);
  return html`<span class="tree-value tree-string-value">${isShown ? JSON.stringify(text) : '••••'}</span>
    <button type="button" class="views-link" onClick=${(event) => { event.stopPropagation(); setShown(!isShown); }}>${isShown ? 'Hide' : 'Show'}</button>`;
}
