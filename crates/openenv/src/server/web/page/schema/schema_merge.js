// Two schemas that both hold, written as one.

import { sameJson } from './json_text.js';

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];
const SCHEMA_NOTES = [
  'title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', '$comment', '$schema', '$id',
  '$defs', 'definitions', 'discriminator',
];

/** Whether a keyword only tells about a value and does not restrict it. */
export function isSchemaNote(keyword) {
  return SCHEMA_NOTES.includes(keyword) || keyword.startsWith('x-');
}

/** Both at once; what cannot be written as one keyword stays in `allOf`. Notes of `more` win. */
export function mergeSchemas(schema, more) {
  const merged = { ...schema };
  const rest = {};
  for (const [keyword, value] of Object.entries(more)) {
    if (!Object.hasOwn(merged, keyword) || isSchemaNote(keyword)) {
      merged[keyword] = value;
      continue;
    }
    const both = mergeKeyword(keyword, merged[keyword], value);
    if (both === undefined) rest[keyword] = value;
    else merged[keyword] = both;
  }
  if (Object.keys(rest).length > 0) merged.allOf = [...(merged.allOf ?? []), rest];
  return merged;
}

function mergeKeyword(keyword, one, other) {
  if (sameJson(one, other)) return one;
  if (LOWER_LIMITS.includes(keyword) && areNumbers(one, other)) return Math.max(one, other);
  if (UPPER_LIMITS.includes(keyword) && areNumbers(one, other)) return Math.min(one, other);
  switch (keyword) {
    case 'type':
      return commonTypes(one, other);
    case 'required':
      return [...new Set([...one, ...other])];
    case 'enum':
      return one.filter((choice) => other.some((value) => sameJson(choice, value)));
    case 'properties':
    case 'patternProperties':
      return mergeProperties(one, other);
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'items':
    case 'propertyNames':
      // Closed halves of one object close the whole, but know each other's fields; strictly they would exclude each other.
      if (one === false || other === false) return false;
      if (one === true) return other;
      if (other === true) return one;
      return Array.isArray(one) || Array.isArray(other) ? undefined : { allOf: [one, other] };
    case 'uniqueItems':
      return one || other;
    case 'nullable':
      return one && other;
    case 'allOf':
      return [...one, ...other];
    default:
      return undefined;
  }
}

function areNumbers(one, other) {
  return typeof one === 'number' && typeof other === 'number';
}

function mergeProperties(one, other) {
  const merged = { ...one };
  for (const [name, schema] of Object.entries(other)) {
    merged[name] = Object.hasOwn(merged, name) ? { allOf: [merged[name], schema] } : schema;
  }
  return merged;
}

function commonTypes(one, other) {
  const left = [one].flat();
  const right = [other].flat();
  const has = (types, type) => types.includes(type) || (type === 'integer' && types.includes('number'));
  const common = [...new Set([...left, ...right])].filter((type) => has(left, type) && has(right, type));
  return common.length === 1 ? common[0] : common;
}
