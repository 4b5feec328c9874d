// How well a value suits a schema by its structure.

import { describeNode, fixedValue } from './shape.js';
import { isPlainObject, numberOf, sameJson } from './json_text.js';

/** Which option of a union a value is meant to be; the form and the messages of the check go by it. */
export function matchingOption(root, node, value) {
  let shape = describeNode(root, node);
  if (shape.kind === 'nullable') shape = shape.inner;
  return shape.kind === 'union' ? bestOption(root, shape, value) : 0;
}

export function bestOption(root, shape, value) {
  const fits = shape.options.map((option) => fitness(root, option.node, value));
  return fits.indexOf(Math.max(...fits));
}

/** How well a value suits a schema by its structure; limits and lengths do not matter, so that it does not jump while someone types. */
export function fitness(root, node, value, depth = 0) {
  return shapeFitness(root, describeNode(root, node), value, depth);
}

function shapeFitness(root, shape, value, depth) {
  const nested = (place, inside) => (depth > 3 ? 1 : fitness(root, place, inside, depth + 1));
  switch (shape.kind) {
    case 'const':
      return sameJson(shape.value, value) ? 10 : 0;
    case 'enum':
      if (shape.choices.some((choice) => sameJson(choice.value, value))) return 10;
      return shape.choices.some((choice) => typeof choice.value === typeof value) ? 2 : 0;
    case 'nullable':
      return value === null ? 10 : shapeFitness(root, shape.inner, value, depth);
    case 'union':
      return depth > 3 ? 1 : Math.max(...shape.options.map((option) => nested(option.node, value)));
    case 'null':
      return value === null ? 10 : 0;
    case 'string':
      return typeof value === 'string' ? 8 : 0;
    case 'boolean':
      return typeof value === 'boolean' ? 8 : 0;
    case 'integer':
      return Number.isNaN(numberOf(value)) ? 0 : Number.isInteger(numberOf(value)) ? 9 : 3;
    case 'number':
      return Number.isNaN(numberOf(value)) ? 0 : 8;
    case 'array':
      if (!Array.isArray(value)) return 0;
      return 5 + (value.slice(0, 3).every((item) => nested(shape.item, item) > 0) ? 2 : 0);
    case 'tuple':
      if (!Array.isArray(value)) return 0;
      return 4 + (value.length === shape.items.length ? 1 : 0) + (shape.items.every((item, index) => nested(item, value[index]) > 0) ? 3 : 0);
    case 'map':
      if (!isPlainObject(value)) return 0;
      return 4 + (Object.values(value).slice(0, 3).every((inside) => nested(shape.extra, inside) > 0) ? 1 : -2);
    case 'object':
      return isPlainObject(value) ? Math.max(1, objectFitness(root, shape, value, nested)) : 0;
    default:
      return 1;
  }
}

function objectFitness(root, shape, value, nested) {
  let fit = 5;
  const known = new Set();
  for (const { name, node, required } of shape.fields) {
    known.add(name);
    const fixed = fixedValue(root, node);
    const inside = Object.hasOwn(value, name) ? value[name] : undefined;
    if (inside === undefined) fit -= required ? 1 : 0;
    else if (fixed !== undefined) fit += sameJson(fixed, inside) ? 6 : -6;
    else fit += nested(node, inside) > 0 ? 0.5 : -0.5;
  }
  const unknown = Object.keys(value).filter((name) => !known.has(name) && value[name] !== undefined).length;
  return fit - unknown * (shape.extra === false ? 1 : 0.5);
}
