// Types and limits in words, for labels and documentation.

import { describeNode } from './shape.js';

const TEXT_FORMATS = {
  'date-time': 'date and time', date: 'date', time: 'time', duration: 'duration', uuid: 'UUID', email: 'email address', uri: 'URL',
  'uri-reference': 'URL', ipv4: 'IPv4 address', ipv6: 'IPv6 address', hostname: 'host name', regex: 'pattern', binary: 'bytes', byte: 'base64',
  base64: 'base64', password: 'secret text',
};
const DEEPEST_WORDS = 3;
const MOST_CHOICES = 8;
const LONGEST_PATTERN = 40;

/** Such as `text`, `whole number, 1 to 100` or `list of text`. */
export function shapeWords(root, shape, depth = 0) {
  if (shape.kind === 'nullable') return `${shapeWords(root, shape.inner, depth)}, or null`;
  const limits = limitWords(shape);
  return limits === '' ? kindWords(root, shape, depth) : `${kindWords(root, shape, depth)}, ${limits}`;
}

function kindWords(root, shape, depth) {
  const nested = (node) => (depth >= DEEPEST_WORDS ? 'anything' : shapeWords(root, describeNode(root, node), depth + 1));
  const of = (words) => (words === 'anything' ? '' : ` of ${words}`);
  switch (shape.kind) {
    case 'string':
      return formatWords(shape.schema);
    case 'integer':
      return 'whole number';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return depth === 0 ? 'one of' : enumWords(shape);
    case 'const':
      return JSON.stringify(shape.value);
    case 'array':
      return `list${of(nested(shape.item))}`;
    case 'tuple':
      return `list of (${shape.items.map(nested).join('; ')})`;
    case 'map':
      return `named values${of(nested(shape.extra))}`;
    case 'union':
      return depth === 0 ? 'one of several types' : shape.options.map(({ label }) => label).join(' or ');
    case 'object':
      return typeof shape.schema.title === 'string' && depth > 0 ? shape.schema.title : 'object';
    case 'any':
      return 'anything';
    default:
      return shape.kind;
  }
}

function formatWords(schema) {
  if (schema.contentMediaType?.startsWith('image/')) return 'image, base64';
  if (schema.contentEncoding === 'base64') return 'base64';
  return TEXT_FORMATS[schema.format] ?? 'text';
}

function enumWords(shape) {
  const shown = shape.choices.slice(0, MOST_CHOICES).map(({ label }) => label);
  return shown.join(' | ') + (shape.choices.length > MOST_CHOICES ? ' | …' : '');
}

/** Limits of the value itself, such as `1 to 10, a multiple of 5`. */
export function limitWords({ kind, schema }) {
  switch (kind) {
    case 'integer':
    case 'number':
      return joined([rangeWords(schema), schema.multipleOf !== undefined && schema.multipleOf !== 1 ? `a multiple of ${schema.multipleOf}` : '']);
    case 'string':
      return joined([countWords(schema.minLength, schema.maxLength, 'character'), patternWords(schema.pattern)]);
    case 'array':
      return joined([countWords(schema.minItems, schema.maxItems, 'item'), schema.uniqueItems ? 'no item twice' : '']);
    case 'map':
      return countWords(schema.minProperties, schema.maxProperties, 'entry', 'entries');
    default:
      return '';
  }
}

function patternWords(pattern) {
  return typeof pattern === 'string' && pattern.length <= LONGEST_PATTERN ? `like ${pattern}` : '';
}

function joined(parts) {
  return parts.filter((part) => part !== '').join(', ');
}

function rangeWords(schema) {
  const [low, isAbove] = limitOf(schema.minimum, schema.exclusiveMinimum, Math.max);
  const [high, isBelow] = limitOf(schema.maximum, schema.exclusiveMaximum, Math.min);
  if (low !== undefined && high !== undefined && !isAbove && !isBelow) return `${low} to ${high}`;
  const lowWords = low === undefined ? '' : `${isAbove ? 'above' : 'at least'} ${low}`;
  const highWords = high === undefined ? '' : `${isBelow ? 'below' : 'at most'} ${high}`;
  return lowWords && highWords ? `${lowWords} and ${highWords}` : lowWords + highWords;
}

/** The tighter of two limits and whether it is excluded itself; draft 4 has a flag for that, later drafts a number. */
function limitOf(limit, exclusive, tighter) {
  if (exclusive === true) return [limit, true];
  if (typeof exclusive !== 'number') return [limit, false];
  if (limit === undefined || tighter(limit, exclusive) === exclusive) return [exclusive, true];
  return [limit, false];
}

function countWords(minimum, maximum, unit, units = `${unit}s`) {
  const least = minimum > 0 ? minimum : undefined;
  const counted = (count) => `${count} ${count === 1 ? unit : units}`;
  if (least === undefined) return maximum === undefined ? '' : `at most ${counted(maximum)}`;
  if (maximum === undefined) return `at least ${counted(least)}`;
  return least === maximum ? counted(least) : `${least} to ${counted(maximum)}`;
}
