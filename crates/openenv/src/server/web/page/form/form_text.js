// Fields to type in: text, numbers, secrets, bytes.

import { html, useRef, useState } from '../vendor/preact.js';
import { FormIconButton, SmallButton } from './form_parts.js';
import { formatExample, isBase64, newUuid } from '../schema/formats.js';
import { isMultiline } from '../schema/shape.js';
import { isSecretName } from '../episode/episode.js';
import { exactNumberText, numberFromText, numberOf, sameJson } from '../schema/json_text.js';

const INPUT_TYPES = { date: 'date', email: 'email', uri: 'url', time: 'text' };
const MOST_ROWS = 14;
const MOST_EXAMPLES = 3;
const LARGEST_FILE = 8_000_000;

function shownText(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function placeholderText(schema, value, required) {
  if (value === null) return 'null';
  if (schema.default !== undefined && schema.default !== null && schema.default !== '') return `default: ${shownText(schema.default)}`;
  const [example] = schema.examples ?? [];
  if (example !== undefined) return `such as ${shownText(example)}`;
  const made = formatExample(schema.format);
  if (made) return `such as ${made}`;
  return required ? '' : 'not set';
}

export function TextControl(props) {
  const { shape, name, value, required } = props;
  const { schema } = shape;
  const common = { ...props, placeholder: placeholderText(schema, value, required) };
  const set = (text) => props.onChange(text === '' && !required ? undefined : text);
  let input;
  if (isBase64(schema)) input = html`<${BytesInput} ...${common} set=${set} />`;
  else if (isSecretName(name) || schema.format === 'password' || schema.writeOnly) input = html`<${SecretInput} ...${common} set=${set} />`;
  else if (isMultiline(schema, name, value)) input = html`<${LinesInput} ...${common} set=${set} />`;
  else input = html`<${LineInput} ...${common} set=${set} />`;
  return html`${input}<${TextAids} schema=${schema} value=${value} set=${set} disabled=${props.control.disabled} />`;
}

function LineInput({ shape, value, set, control, placeholder, type }) {
  return html`<input ...${control} class="form-input" type=${type ?? INPUT_TYPES[shape.schema.format] ?? 'text'} value=${shownText(value)} placeholder=${placeholder}
    autocomplete="off" autocapitalize="off" spellcheck=${false} onInput=${(event) => set(event.target.value)} />`;
}

function LinesInput({ value, set, control, placeholder }) {
  const text = shownText(value);
  const rows = Math.min(MOST_ROWS, Math.max(3, text.split('\n').length + 1));
  return html`<textarea ...${control} class="form-input form-lines" rows=${rows} value=${text} placeholder=${placeholder}
    autocapitalize="off" spellcheck=${false} onInput=${(event) => set(event.target.value)}></textarea>`;
}

function SecretInput(props) {
  const [isShown, setShown] = useState(false);
  return html`<div class="form-beside">
    <${LineInput} ...${props} type=${isShown ? 'text' : 'password'} />
    <${FormIconButton} icon=${isShown ? 'hide' : 'show'} label=${`${isShown ? 'Hide' : 'Show'} ${props.name}`} pressed=${isShown} onClick=${() => setShown(!isShown)} />
  </div>`;
}

function BytesInput(props) {
  const { shape, value, set, control, name } = props;
  const [told, setTold] = useState('');
  const picker = useRef(null);
  const mediaType = shape.schema.contentMediaType;
  const read = async (file) => {
    if (!file) return;
    if (file.size > LARGEST_FILE) {
      setTold(`${file.name} is larger than ${LARGEST_FILE / 1e6} MB.`);
      return;
    }
    const url = await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(file);
    }).catch(() => null);
    setTold(url === null ? `${file.name} could not be read.` : `${file.name}, ${file.size.toLocaleString('en')} bytes`);
    if (url !== null) set(url.slice(url.indexOf(',') + 1));
  };
  const isImage = mediaType?.startsWith('image/') && typeof value === 'string' && value.length > 0;
  return html`<${LinesInput} ...${props} />
    <div class="form-aids">
      <input type="file" hidden ref=${picker} accept=${mediaType} onChange=${(event) => read(event.target.files[0])} />
      <${SmallButton} onClick=${() => picker.current.click()} disabled=${control.disabled} label=${`Take ${name} from a file`}>From a file…<//>
      <span class="form-muted" role="status">${told}</span>
    </div>
    ${isImage && html`<img class="form-preview" alt=${`Preview of ${name}`} src=${`data:${mediaType};base64,${value}`} />`}`;
}

/** Values at hand: examples of the schema, the time now, a new UUID; and how much room is left. */
function TextAids({ schema, value, set, disabled }) {
  const aids = (schema.examples ?? []).filter((example) => typeof example === 'string').slice(0, MOST_EXAMPLES)
    .map((example) => ({ label: example.length > 40 ? `${example.slice(0, 39)}…` : example, make: () => example }));
  if (schema.format === 'uuid') aids.push({ label: 'New UUID', make: newUuid });
  if (schema.format === 'date-time') aids.push({ label: 'Now', make: () => new Date().toISOString().replace(/\.\d+Z/, 'Z') });
  const length = typeof value === 'string' ? value.length : 0;
  const isNearEnd = schema.maxLength !== undefined && length > schema.maxLength * 0.8;
  if (aids.length === 0 && !isNearEnd) return null;
  return html`<div class="form-aids">
    ${aids.map(({ label, make }) => html`<${SmallButton} key=${label} onClick=${() => set(make())} disabled=${disabled}>${label}<//>`)}
    ${isNearEnd && html`<span class="form-muted form-count">${length} of ${schema.maxLength}</span>`}
  </div>`;
}

export function NumberControl({ shape, value, onChange, required, control }) {
  const { schema, kind } = shape;
  // What was typed stays as it is (`1.`, `-0`, `1e3`) until the field is left; the value follows at once.
  const [typed, setTyped] = useState(null);
  const text = typed && sameJson(typed.value, value) ? typed.text : value === undefined || value === null ? '' : shownNumber(value);
  const type = (next) => {
    const nextValue = next.trim() === '' ? undefined : numberFromText(next) ?? next;
    setTyped({ text: next, value: nextValue });
    onChange(nextValue);
  };
  const onKeyDown = (event) => {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!sign || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = steppedNumber(schema, value, sign * (event.shiftKey ? 10 : 1));
    setTyped(null);
    onChange(next);
  };
  const number = numberOf(value);
  const known = (limit) => (typeof limit === 'number' ? limit : undefined);
  return html`<input ...${control} class="form-input form-number" type="text" inputmode=${numberKeyboard(kind, schema)}
    role="spinbutton" aria-valuenow=${Number.isNaN(number) ? undefined : number} aria-valuetext=${text === '' ? 'not set' : text} aria-valuemin=${known(schema.minimum)} aria-valuemax=${known(schema.maximum)}
    value=${text} placeholder=${placeholderText(schema, value, required)} autocomplete="off" spellcheck=${false}
    onInput=${(event) => type(event.target.value)} onKeyDown=${onKeyDown} onBlur=${() => setTyped(null)} />`;
}

/** Keyboards of phones for numbers have no minus. */
function numberKeyboard(kind, schema) {
  if (!(schema.minimum >= 0 || schema.exclusiveMinimum >= 0)) return 'text';
  return kind === 'integer' ? 'numeric' : 'decimal';
}

function shownNumber(value) {
  return Number.isNaN(numberOf(value)) ? shownText(value) : exactNumberText(value);
}

/** The next number up or down that the schema allows. */
function steppedNumber(schema, value, steps) {
  const step = schema.multipleOf > 0 ? schema.multipleOf : 1;
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const least = typeof schema.exclusiveMinimum === 'number' ? Math.max(minimum, schema.exclusiveMinimum + step) : minimum;
  const most = typeof schema.exclusiveMaximum === 'number' ? Math.min(maximum, schema.exclusiveMaximum - step) : maximum;
  const number = numberOf(value);
  const start = typeof schema.default === 'number' ? schema.default : Number.isFinite(least) ? least - Math.sign(steps) * step : 0;
  const next = (Number.isNaN(number) ? start : number) + steps * step;
  // Sums of fractions such as 0.1 + 0.2 would show fifteen digits.
  return Number(Math.min(Math.max(next, least), most).toPrecision(12));
}
