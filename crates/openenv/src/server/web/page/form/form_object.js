// The fields of an object: required ones first, the rest at hand or folded.

import { html, useState } from '../vendor/preact.js';
import { problemsBelow, useForm } from './form_context.js';
import { FormIcon } from './form_parts.js';
import { MapControl } from './form_map.js';
import { describeNode, choiceLabel } from '../schema/shape.js';
import { isCertain } from '../schema/schema.js';
import { isPlainObject, setField } from '../schema/json_text.js';

const MOST_OPTIONAL_IN_SIGHT = 3;
const SIMPLE_KINDS = ['string', 'number', 'integer', 'boolean', 'enum'];

/** `hidden` is the field that a picker above already shows. */
export function ObjectFields({ shape, path, value, onChange, hidden }) {
  const { root, Field } = useForm();
  const object = isPlainObject(value) ? value : {};
  const isFixed = (field) => describeNode(root, field.node).kind === 'const' && (field.required || isCertain(root, field.node));
  const fixed = shape.fields.filter(isFixed);
  const { seen, folded } = arrangedFields(root, shape.fields.filter((field) => !isFixed(field)));
  const known = new Set(shape.fields.map(({ name }) => name));
  const others = Object.fromEntries(Object.entries(object).filter(([name]) => !known.has(name)));
  const hasOthers = Object.keys(others).length > 0;

  const write = (values) => {
    const next = {};
    for (const field of shape.fields) {
      const inside = isFixed(field) ? values[field.name] ?? describeNode(root, field.node).value : values[field.name];
      if (inside !== undefined) setField(next, field.name, inside);
    }
    for (const name of Object.keys(values)) {
      if (!known.has(name) && values[name] !== undefined) setField(next, name, values[name]);
    }
    onChange(next);
  };
  const fieldOf = ({ name, node, required }) => html`<${Field} key=${name} node=${node} name=${name} path=${[...path, name]} required=${required}
    value=${Object.hasOwn(object, name) ? object[name] : undefined} onChange=${(inside) => write({ ...object, [name]: inside })} />`;
  const changeOthers = (next) => write({ ...Object.fromEntries(Object.entries(object).filter(([name]) => known.has(name))), ...next });

  return html`<div class="form-fields">
    ${seen.map(fieldOf)}
    ${fixed.filter(({ name }) => name !== hidden).map(({ name, node }) => html`<${FixedField} key=${name} name=${name} value=${describeNode(root, node).value} />`)}
    ${(folded.length > 0 || shape.invitesExtra || hasOthers) && html`<${MoreFields} names=${folded.map(({ name }) => name)} path=${path}
      isUsed=${hasOthers || folded.some(({ name }) => object[name] !== undefined)}>
      ${folded.map(fieldOf)}
      ${(shape.invitesExtra || hasOthers) && html`<div class="form-others" role="group" aria-label="Other fields">
        <span class="form-label">Other fields</span>
        <${MapControl} shape=${{ kind: 'map', schema: {}, extra: shape.extra === false ? true : shape.extra }} path=${path} value=${others} reserved=${known} onChange=${changeOthers} addLabel="Add a field" canAdd=${shape.extra !== false} />
      </div>`}
    <//>`}
    ${shape.fields.every(({ name }) => name === hidden) && !shape.invitesExtra && !hasOthers && html`<p class="form-hint">Nothing to fill in.</p>`}
  </div>`;
}

function arrangedFields(root, fields) {
  const schemaOf = ({ node }) => describeNode(root, node).schema;
  const isAside = (field) => !field.required && (field.name === 'metadata' || schemaOf(field).deprecated || schemaOf(field).readOnly);
  const aside = fields.filter(isAside);
  const required = fields.filter((field) => field.required);
  const optional = fields.filter((field) => !field.required && !isAside(field));
  const isSimple = (field) => {
    const shape = describeNode(root, field.node);
    return SIMPLE_KINDS.includes(shape.kind === 'nullable' ? shape.inner.kind : shape.kind);
  };
  const inSight = required.length === 0 || (optional.length <= MOST_OPTIONAL_IN_SIGHT && optional.every(isSimple));
  return inSight ? { seen: [...required, ...optional], folded: aside } : { seen: required, folded: [...optional, ...aside] };
}

function FixedField({ name, value }) {
  return html`<p class="form-fixed"><${FormIcon} name="lock" /><span class="form-name">${name}</span><code>${choiceLabel(value)}</code></p>`;
}

function MoreFields({ names, path, isUsed, children }) {
  const { problems, showAll } = useForm();
  const [isOpen, setOpen] = useState(isUsed);
  const wrong = showAll ? names.reduce((count, name) => count + problemsBelow(problems, [...path, name]), 0) : 0;
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');
  return html`<details class="form-more" open=${isOpen || wrong > 0} onToggle=${(event) => event.target === event.currentTarget && setOpen(event.target.open)}>
    <summary><${FormIcon} name="fold" /><span>More fields</span><span class="form-muted form-more-names">${shown}</span></summary>
    ${(isOpen || wrong > 0) && html`<div class="form-more-body">${children}</div>`}
  </details>`;
}
