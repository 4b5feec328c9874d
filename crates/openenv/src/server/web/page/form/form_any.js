// A field for anything: JSON, or plain text without quotes.

import { html, useState } from '../vendor/preact.js';
import { useLocalProblem } from './form_context.js';
import { isPlainObject, numberOf, parseJson, pathName, sameJson } from '../schema/json_text.js';

/** Words are text, everything that is JSON is that: `5` is a number, `"5"` is text. */
export function readAnything(typed) {
  const text = typed.trim();
  if (text === '') return { value: undefined, error: null };
  const { value, error } = parseJson(text);
  if (!error) return { value, error: null };
  return /^[[{"]/.test(text) ? { error } : { value: typed, error: null };
}

function anythingText(value) {
  if (value === undefined) return '';
  const isPlain = typeof value === 'string' && value.trim() !== '' && readAnything(value).value === value;
  return isPlain ? value : JSON.stringify(value, null, typeof value === 'object' ? 2 : 0);
}

export function typeName(value) {
  if (value === undefined) return 'not set';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (!Number.isNaN(numberOf(value))) return 'number';
  if (isPlainObject(value)) return 'object';
  return typeof value === 'string' ? 'text' : 'true or false';
}

export function AnyControl({ path, value, onChange, control }) {
  const [typed, setTyped] = useState(null);
  const isOwn = typed !== null && sameJson(typed.value, value);
  const text = isOwn ? typed.text : anythingText(value);
  const error = isOwn ? typed.error : null;
  useLocalProblem(path, error ? `${pathName(path)} is not JSON: ${error.message}` : null);
  const type = (next) => {
    const read = readAnything(next);
    setTyped({ text: next, value: read.error ? value : read.value, error: read.error });
    if (!read.error) onChange(read.value);
  };
  const rows = Math.min(12, text.split('\n').length);
  return html`<div class="form-any">
    <textarea ...${control} class="form-input form-mono" rows=${rows} value=${text} placeholder="text, or JSON" autocapitalize="off" spellcheck=${false}
      aria-invalid=${error !== null || control['aria-invalid']} onInput=${(event) => type(event.target.value)}></textarea>
    <span class="form-type-chip">${error ? 'not JSON yet' : typeName(value)}</span>
  </div>`;
}
