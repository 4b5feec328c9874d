// Values by names that somebody makes up.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { fieldId, useForm, useLocalProblem } from './form_context.js';
import { FieldErrors, FormIconButton, SmallButton } from './form_parts.js';
import { describeNode } from '../schema/shape.js';
import { addedValue } from '../schema/schema.js';
import { isPlainObject, placeText, sameJson, setField } from '../schema/json_text.js';

const CLICK_MS = 200;

let lastRow = 0;

function rowsOf(value) {
  return Object.entries(value).map(([name, inside]) => ({ id: (lastRow += 1), name, inside, isNamed: true }));
}

function objectOf(rows) {
  const object = {};
  for (const { name, inside, isNamed } of rows) {
    if (isNamed && !Object.hasOwn(object, name)) setField(object, name, inside);
  }
  return object;
}

/** `reserved`: names that belong to fields of their own. Rows may be unfinished, with no name or one that is there twice. */
export function MapControl({ shape, path, value, onChange, control, labelId, reserved, addLabel = 'Add an entry', canAdd = true }) {
  const { root, idPrefix, disabled, Field } = useForm();
  const [rows, setRows] = useState(() => rowsOf(isPlainObject(value) ? value : {}));
  const box = useRef(null);
  const focusRow = useRef(null);
  const given = isPlainObject(value) ? value : {};
  const isOwn = sameJson(objectOf(rows), given);
  const shown = isOwn ? rows : rowsOf(given);
  useEffect(() => {
    if (!isOwn) setRows(shown);
    if (focusRow.current !== null) {
      box.current?.querySelector(`[data-row="${focusRow.current}"] input`)?.focus();
      focusRow.current = null;
    }
  });
  const write = (next) => {
    setRows(next);
    onChange(objectOf(next));
  };
  const add = () => {
    const row = { id: (lastRow += 1), name: '', isNamed: false, inside: addedValue(root, describeNode(root, shape.extra)) };
    focusRow.current = row.id;
    setRows([...shown, row]);
  };
  const change = (id, part) => write(shown.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const remove = (index) => {
    focusRow.current = (shown[index + 1] ?? shown[index - 1])?.id ?? null;
    write(shown.filter((_, at) => at !== index));
  };
  const nameProblem = (row, index) => {
    if (!row.isNamed) return 'This entry needs a name.';
    if (reserved?.has(row.name)) return `\`${row.name}\` has a field of its own.`;
    return shown.slice(0, index).some(({ name }) => name === row.name) ? `The name \`${row.name}\` is there twice.` : null;
  };
  return html`<div class="form-map" ref=${box} id=${control?.id} role=${labelId ? 'group' : undefined} aria-labelledby=${labelId}>
    ${shown.map((row, index) => html`<div class="form-map-row" key=${row.id} data-row=${row.id}>
      <${MapName} id=${fieldId(idPrefix, [...path, `row ${row.id}`])} place=${placeText(path)} name=${row.name} problem=${nameProblem(row, index)} path=${[...path, `row ${row.id}`]}
        onChange=${(name) => change(row.id, { name, isNamed: name !== '' })} disabled=${disabled} choices=${shape.schema.propertyNames?.enum} />
      <div class="form-map-value">
        <${Field} node=${shape.extra} name=${row.name} path=${[...path, row.isNamed ? row.name : `value ${row.id}`]} required=${true} value=${row.inside}
          onChange=${(inside) => change(row.id, { inside })} label=${`Value of ${row.name || 'the new entry'}`} isBare=${true} />
      </div>
      <${FormIconButton} icon="remove" label=${`Remove ${row.name || 'this entry'}`} onClick=${() => remove(index)} disabled=${disabled} />
    </div>`)}
    ${canAdd && html`<${SmallButton} icon="add" onClick=${add} disabled=${disabled}>${addLabel}<//>`}
  </div>`;
}

function MapName({ id, name, problem, path, onChange, disabled, choices, place }) {
  const [isLeft, setLeft] = useState(false);
  // Not at once: the message would push what is being clicked on from under the pointer.
  const leave = () => setTimeout(() => setLeft(true), CLICK_MS);
  const { showAll } = useForm();
  useLocalProblem(path, problem);
  const isTold = problem !== null && (isLeft || showAll || name !== '');
  return html`<div class="form-map-name">
    <input id=${id} class="form-input form-mono" value=${name} placeholder="name" aria-label=${place ? `Name of an entry of ${place}` : 'Name of the field'} disabled=${disabled}
      aria-invalid=${isTold} aria-describedby=${`${id}--errors`} autocomplete="off" autocapitalize="off" spellcheck=${false} list=${choices ? `${id}--list` : undefined}
      onInput=${(event) => onChange(event.target.value)} onBlur=${leave} />
    ${choices && html`<datalist id=${`${id}--list`}>${choices.map((choice) => html`<option value=${choice}></option>`)}</datalist>`}
    <${FieldErrors} id=${`${id}--errors`} messages=${isTold ? [problem] : []} />
  </div>`;
}
