// A value that a person would try first, for code that is shown as an example.

import { defaultValue } from './schema.js';
import { describeNode } from './shape.js';

const DEEPEST_EXAMPLE = 6;

export function exampleValue(root, node = root, depth = 0) {
  const shape = describeNode(root, node);
  const { schema } = shape;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Object.hasOwn(schema, 'default') || depth > DEEPEST_EXAMPLE) return defaultValue(root, node);
  const below = (inner) => exampleValue(root, inner, depth + 1);
  switch (shape.kind) {
    case 'string':
      return exampleText(schema);
    case 'integer':
    case 'number':
      return exampleNumber(schema, shape.kind === 'integer');
    case 'union':
      return below(shape.options[0].node);
    case 'array':
      return Array.from({ length: Math.min(schema.minItems ?? 0, 4) }, () => below(shape.item));
    case 'tuple':
      return shape.items.map(below);
    case 'object': {
      const given = defaultValue(root, node) ?? {};
      const wanted = shape.fields.filter(({ name, required }) => required || Object.hasOwn(given, name));
      return Object.fromEntries(wanted.map(({ name, node: field }) => [name, below(field)]));
    }
    default:
      return defaultValue(root, node) ?? null;
  }
}

function exampleText({ minLength = 0, maxLength = Infinity, format, pattern }) {
  if (format === 'date') return '2030-01-31';
  if (format === 'date-time') return '2030-01-31T12:00:00Z';
  if (pattern) return '…';
  return 'hello'.padEnd(minLength, '!').slice(0, maxLength);
}

function exampleNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 }, isWhole) {
  const least = minimum ?? (exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + (isWhole ? 1 : 0.5));
  const most = maximum ?? (exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - (isWhole ? 1 : 0.5));
  const nearest = Math.min(most, Math.max(least, 0));
  return Math.ceil(nearest / multipleOf) * multipleOf <= most && isWhole ? Math.ceil(nearest / multipleOf) * multipleOf : nearest;
}
