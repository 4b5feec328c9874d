// A form for any schema, over one value.

import { html, useMemo, useRef, useState } from '../vendor/preact.js';
import { FormContext, fieldId, problemsBelow, useForm } from './form_context.js';
import { CodeText, FieldErrors, FormIconButton, SmallButton, hintText } from './form_parts.js';
import { NumberControl, TextControl } from './form_text.js';
import { ChoiceControl, fitsSegments, placeChoices } from './form_choice.js';
import { ListControl, TupleControl } from './form_list.js';
import { MapControl } from './form_map.js';
import { AnyControl } from './form_any.js';
import { ObjectFields } from './form_object.js';
import { UnionControl } from './form_union.js';
import { describeNode } from '../schema/shape.js';
import { addedValue } from '../schema/schema.js';
import { shapeWords } from '../schema/schema_words.js';
import { isPlainObject, pathKey, sameJson } from '../schema/json_text.js';

const GROUP_KINDS = ['object', 'map', 'array', 'tuple', 'union'];
const CHOICE_KINDS = ['enum', 'boolean', 'const', 'null'];
const GROUP_CONTROLS = { map: MapControl, array: ListControl, tuple: TupleControl, union: UnionControl, object: ObjectFields };

/**
 * `problems`: what `validateValue` found. `onLocalProblems(list)`: problems that the value cannot show. `showAll`: also tell what was
 * not filled in yet.
 */
export function SchemaForm({ schema, value, onChange, idPrefix, problems, showAll, onLocalProblems, disabled }) {
  const [touched, setTouched] = useState(() => new Set());
  const local = useRef(new Map());
  const byPath = useMemo(() => {
    const map = new Map();
    for (const { path, message } of problems) {
      const key = pathKey(path);
      map.set(key, [...(map.get(key) ?? []), message]);
    }
    return map;
  }, [problems]);
  // A change inside of a field also changes the fields around it: several are touched at once.
  const touch = (path) => setTouched((before) => (before.has(pathKey(path)) ? before : new Set([...before, pathKey(path)])));
  const report = (key, problem) => {
    if (problem === null && !local.current.has(key)) return;
    if (problem === null) local.current.delete(key);
    else local.current.set(key, problem);
    onLocalProblems?.([...local.current.values()]);
  };
  const own = useRef({ value, revision: 0 });
  if (!sameJson(own.current.value, value)) own.current = { value, revision: own.current.revision + 1 };
  const change = (next) => {
    own.current.value = next;
    onChange(next);
  };
  const context = { root: schema, idPrefix, disabled, showAll, problems: byPath, touched, touch, report, revision: own.current.revision, Field };
  const shape = describeNode(schema, schema);
  const isObject = shape.kind === 'object';
  return html`<${FormContext.Provider} value=${context}>
    <div class="form">
      ${isObject
        ? html`<${ObjectFields} shape=${shape} path=${[]} value=${value} onChange=${change} />`
        : html`<${Field} node=${schema} name="" path=${[]} required=${true} value=${value} onChange=${change} label="Value" isBare=${shape.kind === 'union' || shape.kind === 'map'} />`}
      <${RootErrors} />
    </div>
  <//>`;
}

function RootErrors() {
  const { problems, idPrefix } = useForm();
  return html`<${FieldErrors} id=${`${idPrefix}--root-errors`} messages=${problems.get('[]') ?? []} />`;
}

/**
 * `isBare`: the label is for screen readers only. `part`: a union at the same place already tells its problems. `misfitId`: where
 * it tells that the value is none of the type that was chosen.
 */
export function Field({ node, name, path, value, onChange, required, label, isBare = false, part = 0, misfitId }) {
  const { root, idPrefix, disabled, problems, touched, touch, showAll } = useForm();
  const outer = describeNode(root, node);
  const nullable = outer.kind === 'nullable';
  const shape = nullable ? outer.inner : outer;
  const id = fieldId(idPrefix, path);
  const key = pathKey(path);
  const isTold = showAll || touched.has(key);
  const messages = isTold && path.length > 0 && part === 0 ? problems.get(key) ?? [] : [];
  const hint = part > 0 ? '' : hintText(outer.schema.description ?? shape.schema.description);
  const change = (next) => {
    touch(path);
    onChange(next);
  };
  const parts = {
    title: ownTitle(outer.schema, name, node), id, base: id + '--part'.repeat(part), part, name, path, value, required, nullable, outer, shape, messages, hint, isBare, label: label ?? name,
    set: change,
    control: {
      id,
      disabled: disabled || undefined,
      'aria-describedby': [hint && `${id}--hint`, `${id}--errors`, misfitId].filter(Boolean).join(' '),
      'aria-invalid': messages.length > 0 || Boolean(misfitId) || undefined,
      'aria-required': required || undefined,
    },
  };
  return GROUP_KINDS.includes(shape.kind) ? html`<${GroupField} ...${parts} />` : html`<${PlainField} ...${parts} />`;
}

function PlainField(parts) {
  const { id, base, title, name, path, value, required, nullable, outer, shape, messages, hint, isBare, label, set, control } = parts;
  const { root, disabled } = useForm();
  const isChoice = CHOICE_KINDS.includes(shape.kind);
  const props = { shape, name, path, value, onChange: set, required, control, root };
  let body;
  const choices = isChoice ? placeChoices(shape, { required, nullable }) : [];
  if (isChoice) body = html`<${ChoiceControl} choices=${choices} value=${value} onChange=${set} control=${control} labelId=${`${base}--label`} />`;
  else if (shape.kind === 'any') body = html`<${AnyControl} ...${props} />`;
  else if (shape.kind === 'string') body = html`<${TextControl} ...${props} />`;
  else body = html`<${NumberControl} ...${props} />`;
  const words = isChoice ? '' : shapeWords(root, shape);
  return html`<div class=${fieldClass('form-field', messages)}>
    <div class=${isBare ? 'visually-hidden' : 'form-head'}>
      <${FieldLabel} htmlFor=${isChoice && fitsSegments(choices) ? undefined : id} id=${`${base}--label`} label=${label} required=${required} title=${title} deprecated=${outer.schema.deprecated} />
      <span class="form-type">${words}</span>
    </div>
    ${hint && html`<p id=${`${base}--hint`} class=${isBare ? 'visually-hidden' : 'form-hint'}><${CodeText} text=${hint} /></p>`}
    <div class="form-control">
      <div class="form-control-main">${body}</div>
      ${nullable && !isChoice && html`<${SmallButton} pressed=${value === null} disabled=${disabled} label=${`${name || 'Value'} is null`} onClick=${() => set(value === null ? (required ? addedValue(root, shape) : undefined) : null)}>null<//>`}
    </div>
    <${FieldErrors} id=${`${base}--errors`} messages=${messages} />
  </div>`;
}

function GroupField(parts) {
  const { id, base, part, title, name, path, value, required, nullable, outer, shape, messages, hint, isBare, label, set, control } = parts;
  const { root, problems, showAll, disabled, revision } = useForm();
  const [isOpen, setOpen] = useState(true);
  // A type can be chosen before there is a value of it, such as a number that nobody has typed yet.
  const [begun, setBegun] = useState(null);
  const isBegun = begun?.revision === revision && begun.value === undefined;
  const isThere = holds(shape, value) || (shape.kind === 'union' && value === undefined && (required || isBegun));
  const change = (next) => {
    setBegun({ value: next, revision });
    set(next);
  };
  const clear = (next) => {
    setBegun(null);
    set(next);
  };
  const below = problemsBelow(problems, path);
  const isShown = isOpen || (showAll && below > 0);
  const Control = GROUP_CONTROLS[shape.kind];
  const labelId = `${base}--label`;
  const summary = isThere ? contentWords(shape, value) : value === null ? 'null' : value === undefined ? 'not set' : `now ${JSON.stringify(value).slice(0, 40)}`;
  const fold = isThere && !isBare && shape.kind !== 'union';
  return html`<div class=${fieldClass('form-group', messages)}>
    <div class=${isBare && isThere ? 'form-head form-head-bare' : 'form-head'}>
      ${fold && html`<${FormIconButton} icon="fold" className=${isShown ? 'form-fold form-fold-open' : 'form-fold'} label=${`${isShown ? 'Fold' : 'Unfold'} ${label}`} onClick=${() => setOpen(!isShown)} />`}
      <span class=${isBare ? 'visually-hidden' : 'form-head-name'}><${FieldLabel} id=${labelId} label=${label} required=${required} title=${title} deprecated=${outer.schema.deprecated} /></span>
      <span class="form-type">${isThere ? (isBare ? '' : groupWords(root, shape)) : summary}</span>
      <span class="form-head-buttons">
        ${fold && !isShown && html`<span class="form-muted">${summary}</span>`}
        ${!isThere && html`<${SmallButton} icon="add" disabled=${disabled} label=${`Fill in ${label}`} onClick=${() => change(addedValue(root, shape))}>${value === undefined || value === null ? 'Fill in' : 'Replace'}<//>`}
        ${nullable && value !== null && html`<${SmallButton} disabled=${disabled} label=${`Set ${label} to null`} onClick=${() => clear(null)}>null<//>`}
        ${(value !== undefined || isThere) && !required && html`<${SmallButton} disabled=${disabled} label=${`Leave out ${label}`} onClick=${() => clear(undefined)}>Leave out<//>`}
      </span>
    </div>
    ${hint && !isBare && html`<p id=${`${base}--hint`} class="form-hint"><${CodeText} text=${hint} /></p>`}
    ${isThere && isShown && html`<div class=${isBare ? 'form-bare-body' : 'form-group-body'}>
      ${shape.kind === 'object'
        ? html`<div id=${id} role="group" aria-labelledby=${labelId}><${ObjectFields} shape=${shape} path=${path} value=${value} onChange=${change} /></div>`
        : html`<${Control} shape=${shape} name=${name} path=${path} value=${value} onChange=${change} required=${required} control=${control} labelId=${labelId} root=${root} part=${part} />`}
    </div>`}
    <${FieldErrors} id=${`${base}--errors`} messages=${messages} />
  </div>`;
}

function fieldClass(base, messages) {
  return messages.length > 0 ? `${base} form-wrong` : base;
}

function holds(shape, value) {
  if (shape.kind === 'object' || shape.kind === 'map') return isPlainObject(value);
  return shape.kind === 'union' ? value !== undefined && value !== null : Array.isArray(value);
}

function contentWords(shape, value) {
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  const count = isPlainObject(value) ? Object.keys(value).length : 0;
  return count === 1 ? '1 field' : `${count} fields`;
}

function groupWords(root, shape) {
  return shape.kind === 'object' || shape.kind === 'union' ? '' : shapeWords(root, shape);
}

function FieldLabel({ id, htmlFor, label, required, title, deprecated }) {
  const content = html`<span class="form-name">${label}</span>${required && html`<span class="form-required" title="required" aria-hidden="true">*</span>`}`;
  const text = htmlFor ? html`<label class="form-label" id=${id} for=${htmlFor}>${content}</label>` : html`<span class="form-label" id=${id}>${content}</span>`;
  return html`${text}${title && html`<span class="form-title">${title}</span>`}${deprecated && html`<span class="form-type-chip">deprecated</span>`}`;
}

/** A title that says more than the name: pydantic makes `Tool Name` out of `tool_name`, and a type has its own name as title. */
function ownTitle(schema, name, node) {
  const isOfType = typeof node?.$ref === 'string' && node.title === undefined;
  const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return typeof schema.title === 'string' && !isOfType && schema.type !== 'object' && plain(schema.title) !== plain(name) ? schema.title : '';
}
