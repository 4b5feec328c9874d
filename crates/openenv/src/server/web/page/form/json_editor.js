// A text field for JSON: line numbers, wrong lines marked, indentation kept.

import { html, useRef } from '../vendor/preact.js';

const INDENTATION = '  ';

/** `marks`: numbers of lines with a problem. Tab moves on as everywhere, so that the keyboard is never caught. */
export function JsonEditor({ id, text, onInput, marks, label, describedBy, disabled, leastRows = 6, mostRows = 22, inputRef }) {
  const gutter = useRef(null);
  const lines = text.split('\n').length;
  const rows = Math.min(mostRows, Math.max(leastRows, lines + 1));
  const onKeyDown = (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    insertText(event.target, newLine(event.target.value, event.target.selectionStart), onInput);
  };
  return html`<div class="form-json">
    <div class="form-json-gutter" aria-hidden="true" ref=${gutter}>
      ${Array.from({ length: lines }, (_, index) => html`<span key=${index} class=${marks?.has(index + 1) ? 'form-json-mark' : ''}>${index + 1}</span>`)}
    </div>
    <textarea id=${id} ref=${inputRef} class="form-json-text" rows=${rows} wrap="off" value=${text} aria-label=${label} aria-describedby=${describedBy} aria-invalid=${marks?.size > 0 || undefined}
      disabled=${disabled} autocapitalize="off" autocomplete="off" spellcheck=${false} onKeyDown=${onKeyDown}
      onInput=${(event) => onInput(event.target.value)} onScroll=${(event) => { gutter.current.scrollTop = event.target.scrollTop; }}></textarea>
  </div>`;
}

function newLine(text, at) {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const indentation = line.match(/^[ \t]*/)[0];
  return `\n${indentation}${/[[{]\s*$/.test(line) ? INDENTATION : ''}`;
}

/** Typed by the browser where it can, so that undo knows it. */
function insertText(area, text, onInput) {
  if (document.execCommand?.('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  onInput(area.value);
}

export function selectOffset(area, offset) {
  if (!area) return;
  area.focus();
  area.setSelectionRange(offset, offset);
  const line = area.value.slice(0, offset).split('\n').length;
  const height = area.scrollHeight / area.value.split('\n').length;
  area.scrollTop = Math.max(0, (line - 4) * height);
}
