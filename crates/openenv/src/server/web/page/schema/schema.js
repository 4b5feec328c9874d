// Values for a schema: to begin with, to change over to another type, and to offer as one click.

import { choiceLabel, describeNode } from './shape.js';
import { fitness } from './shape_fit.js';
import { copyJson, isPlainObject, numberFromText, numberOf, exactNumberText, setField } from './json_text.js';

const DEEPEST_DEFAULT = 8;
const MOST_QUICK_ACTIONS = 12;
const MOST_ITEMS_AT_FIRST = 16;

/**
 * What a form starts with: everything that is certain. Optional fields are left out; required ones that somebody
 * has to think about (text, numbers) too, so that nothing is sent by accident.
 */
export function defaultValue(root, node = root) {
  return startingValue(root, describeNode(root, node), []);
}

/** `around`: the shapes that this place is inside of, so that types that contain themselves come to an end. */
function startingValue(root, shape, around) {
  if (Object.hasOwn(shape.schema, 'default')) return copyJson(shape.schema.default);
  if (around.length > DEEPEST_DEFAULT) return undefined;
  const below = (node) => startingValue(root, describeNode(root, node), [...around, shape]);
  switch (shape.kind) {
    case 'const':
      return copyJson(shape.value);
    case 'enum':
      return copyJson(shape.choices[0]?.value);
    case 'boolean':
      return false;
    case 'null':
    case 'nullable':
      return null;
    case 'integer':
    case 'number':
      return onlyNumber(shape.schema);
    case 'union':
      return below((shape.options.find(({ node }) => !around.includes(describeNode(root, node))) ?? shape.options[0]).node);
    case 'map':
      return {};
    case 'array': {
      const count = Math.min(shape.schema.minItems ?? 0, MOST_ITEMS_AT_FIRST);
      const items = Array.from({ length: count }, () => below(shape.item));
      return items.includes(undefined) ? [] : items;
    }
    case 'tuple':
      return shape.items.slice(0, Math.max(shape.schema.minItems ?? shape.items.length, 0)).map(below);
    case 'object': {
      const object = {};
      for (const { name, node, required } of shape.fields) {
        if (required || isCertain(root, node)) setField(object, name, below(node));
      }
      return object;
    }
    default:
      return undefined;
  }
}

/** A tag is always sent, even where its default would do. */
export function isCertain(root, node) {
  const shape = describeNode(root, node);
  return shape.kind === 'const' && Object.hasOwn(shape.schema, 'default') && shape.schema.default === shape.value;
}

function onlyNumber({ minimum, maximum }) {
  return minimum !== undefined && minimum === maximum ? minimum : undefined;
}

/** The value for a place that somebody asked for, such as an item that was just added: not `null` if it can be something. */
export function addedValue(root, shape) {
  if (shape.kind === 'nullable') return addedValue(root, shape.inner);
  const { default: preset, ...schema } = shape.schema;
  if (preset !== undefined && preset !== null) return copyJson(preset);
  return shape.kind === 'string' ? '' : startingValue(root, { ...shape, schema }, []);
}

/** The value of one type as one of another type: what fits is kept. */
export function convertValue(root, node, value) {
  const shape = describeNode(root, node);
  const fresh = addedValue(root, shape);
  if (value === undefined || value === null) return fresh;
  if (isPlainObject(value) && isPlainObject(fresh)) return convertedFields(root, shape, value, fresh);
  if (fitness(root, node, value) > 2) return value;
  if (Array.isArray(value) && value.length === 1 && fitness(root, node, value[0]) > 2) return value[0];
  switch (shape.kind) {
    case 'string':
      return Number.isNaN(numberOf(value)) && typeof value !== 'boolean' ? fresh : exactNumberText(value);
    case 'integer':
    case 'number':
      return (typeof value === 'string' ? numberFromText(value) : undefined) ?? fresh;
    case 'array':
      return Array.isArray(value) || fitness(root, shape.item, value) <= 2 ? fresh : [value];
    default:
      return fresh;
  }
}

function convertedFields(root, shape, value, fresh) {
  if (shape.kind === 'map') return fitness(root, shape.schema, value) > 4 ? value : fresh;
  for (const { name, node } of shape.fields ?? []) {
    const isTag = describeNode(root, node).kind === 'const';
    if (!isTag && Object.hasOwn(value, name) && fitness(root, node, value[name]) > 0) setField(fresh, name, value[name]);
  }
  return fresh;
}

/** One-click actions for a schema whose actions can be counted: `[{label, action}]`. */
export function quickActions(schema) {
  const shape = describeNode(schema, schema);
  const actions = shape.kind === 'union' ? shape.options.flatMap((option) => enumeratedActions(schema, option.node)) : enumeratedActions(schema, schema);
  return actions.length > MOST_QUICK_ACTIONS ? [] : actions;
}

function enumeratedActions(root, node) {
  const shape = describeNode(root, node);
  if (shape.kind !== 'object') return wholeActions(shape);
  const isTag = (field) => describeNode(root, field.node).kind === 'const' && (field.required || isCertain(root, field.node));
  const tags = shape.fields.filter(isTag);
  const open = shape.fields.filter((field) => !isTag(field) && field.name !== 'metadata');
  const required = open.filter((field) => field.required);
  const asked = required.length > 0 ? required : open;
  const base = () => Object.fromEntries(tags.map(({ name, node: tag }) => [name, defaultValue(root, tag)]));
  if (asked.length === 0) return tags.length > 0 ? [{ label: tags.map(({ name }) => choiceLabel(base()[name])).join(' '), action: base() }] : [];
  if (asked.length > 1) return [];
  const [{ name, node: place }] = asked;
  const prefix = tags.map((tag) => `${choiceLabel(base()[tag.name])} `).join('');
  return countedChoices(root, place).map(({ value, label, isPlain }) => ({
    label: prefix + (isPlain ? `${name} ${label}` : label),
    action: { ...base(), [name]: value },
  }));
}

/** Unit variants of an enum are actions by themselves only if the server takes text; objects are the rule. */
function wholeActions(shape) {
  if (shape.kind === 'const') return [{ label: choiceLabel(shape.value), action: shape.value }];
  return shape.kind === 'enum' ? shape.choices.map(({ value, label }) => ({ label, action: value })) : [];
}

function countedChoices(root, node) {
  const shape = describeNode(root, node);
  switch (shape.kind) {
    case 'enum':
      return shape.choices.map(({ value, label }) => ({ value, label, isPlain: typeof value !== 'string' }));
    case 'const':
      return [{ value: shape.value, label: choiceLabel(shape.value) }];
    case 'boolean':
      return [true, false].map((value) => ({ value, label: String(value), isPlain: true }));
    case 'integer': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = shape.schema;
      const first = minimum ?? exclusiveMinimum + 1;
      const last = maximum ?? exclusiveMaximum - 1;
      if (!(last - first < MOST_QUICK_ACTIONS) || multipleOf !== undefined) return [];
      return Array.from({ length: last - first + 1 }, (_, index) => ({ value: first + index, label: String(first + index), isPlain: true }));
    }
    default:
      return [];
  }
}
