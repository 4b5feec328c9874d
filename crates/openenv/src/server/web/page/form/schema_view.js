// A schema to read: what each field is, what it may be, what it means.

import { html, useState } from '../vendor/preact.js';
import { CodeText, FormIcon } from './form_parts.js';
import { choiceLabel, describeNode } from '../schema/shape.js';
import { shapeWords } from '../schema/schema_words.js';

const DEEPEST_OPEN = 1;

export function SchemaView({ schema }) {
  const shape = describeNode(schema, schema);
  return html`<div class="schema-view">
    ${schema?.description && html`<p class="schema-text"><${CodeText} text=${schema.description} /></p>`}
    <${SchemaParts} root=${schema} shape=${shape} depth=${0} isTop=${true} />
  </div>`;
}

/** What is inside of a value: fields, items, options, choices. */
function SchemaParts({ root, shape, depth, isTop = false }) {
  const part = (name, node, rest = {}) => html`<${SchemaField} key=${name} root=${root} name=${name} node=${node} depth=${depth} ...${rest} />`;
  switch (shape.kind) {
    case 'nullable':
      return html`<${SchemaParts} root=${root} shape=${shape.inner} depth=${depth} isTop=${isTop} />`;
    case 'object':
      return html`<dl class="schema-fields">
        ${[...shape.fields].sort((one, other) => other.required - one.required).map(({ name, node, required }) => part(name, node, { required }))}
        ${shape.invitesExtra && part('other fields', shape.extra, { isLoose: true })}
        ${shape.fields.length === 0 && html`<p class="form-hint">No fields.</p>`}
      </dl>`;
    case 'union':
      return html`<dl class="schema-fields">${shape.options.map(({ label, node }) => part(label, node, { isOption: true }))}</dl>`;
    case 'enum':
      return html`<${SchemaChoices} choices=${shape.choices} />`;
    case 'array':
      return isWorthOpening(root, describeNode(root, shape.item)) ? html`<dl class="schema-fields">${part('each item', shape.item, { isLoose: true })}</dl>` : null;
    case 'map':
      return isWorthOpening(root, describeNode(root, shape.extra)) ? html`<dl class="schema-fields">${part('each value', shape.extra, { isLoose: true })}</dl>` : null;
    case 'tuple':
      return html`<dl class="schema-fields">${shape.items.map((node, index) => part(`item ${index + 1}`, node, { isLoose: true }))}</dl>`;
    default:
      return isTop ? html`<p class="form-hint">${shapeWords(root, shape)}</p>` : null;
  }
}

function isWorthOpening(root, shape) {
  switch (shape.kind) {
    case 'nullable':
      return isWorthOpening(root, shape.inner);
    case 'object':
    case 'union':
    case 'tuple':
      return true;
    case 'enum':
      return shape.choices.some(({ description }) => description);
    case 'array':
      return isWorthOpening(root, describeNode(root, shape.item));
    case 'map':
      return isWorthOpening(root, describeNode(root, shape.extra));
    default:
      return false;
  }
}

function SchemaField({ root, name, node, required, depth, isOption, isLoose }) {
  const shape = describeNode(root, node);
  const { schema } = shape;
  const inner = shape.kind === 'nullable' ? shape.inner : shape;
  const canOpen = isWorthOpening(root, shape);
  // Types may contain themselves: what is deep is drawn only when somebody opens it.
  const [isOpen, setOpen] = useState(depth < DEEPEST_OPEN && !isOption);
  const description = schema.description ?? inner.schema.description;
  const notes = schemaNotes(schema, inner.schema);
  return html`<div class="schema-field">
    <dt>
      ${canOpen && html`<button type="button" class=${isOpen ? 'form-icon-button form-fold form-fold-open' : 'form-icon-button form-fold'} aria-expanded=${isOpen} aria-label=${`Parts of ${name}`} onClick=${() => setOpen(!isOpen)}><${FormIcon} name="fold" /></button>`}
      <span class=${isLoose ? 'form-name schema-loose' : 'form-name'}>${name}</span>
      <span class="form-type">${fieldWords(root, shape, inner)}</span>
      ${required && html`<span class="schema-required">required</span>`}
      ${notes.map((note) => html`<span class="form-type-chip" key=${note}>${note}</span>`)}
    </dt>
    <dd>
      ${description && html`<p class="schema-text"><${CodeText} text=${description} /></p>`}
      ${inner.kind === 'enum' && !canOpen && html`<${SchemaChoices} choices=${inner.choices} />`}
      ${canOpen && isOpen && html`<${SchemaParts} root=${root} shape=${shape} depth=${depth + 1} />`}
    </dd>
  </div>`;
}

function fieldWords(root, shape, inner) {
  const orNull = shape.kind === 'nullable' ? ', or null' : '';
  if (inner.kind === 'enum') return `one of${orNull}`;
  if (inner.kind === 'object' && typeof inner.schema.title === 'string') return inner.schema.title + orNull;
  return shapeWords(root, shape);
}

function schemaNotes(schema, inner) {
  const notes = [];
  if (schema.default !== undefined) notes.push(`default ${choiceLabel(schema.default)}`);
  const [example] = schema.examples ?? inner.examples ?? [];
  if (example !== undefined) notes.push(`such as ${choiceLabel(example)}`);
  if (schema.deprecated) notes.push('deprecated');
  if (schema.readOnly) notes.push('read only');
  return notes.map((note) => (note.length > 80 ? `${note.slice(0, 79)}…` : note));
}

function SchemaChoices({ choices }) {
  return html`<ul class="schema-choices">
    ${choices.map(({ label, description }) => html`<li key=${label}><code>${label}</code>${description && html`<span>${description}</span>`}</li>`)}
  </ul>`;
}
