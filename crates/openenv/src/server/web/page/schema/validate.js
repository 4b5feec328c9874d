// Checks a value against a schema and tells in plain words what is wrong, before the server has to.

import { choiceLabel, describeNode, fixedValue, resolveSchema } from './shape.js';
import { fitness } from './shape_fit.js';
import { formatMisfit, wholeNumberLimits } from './formats.js';
import { isPlainObject, numberOf, exactNumberText, pathName, sameJson } from './json_text.js';

const DEEPEST_CHECK = 100;
const MOST_LABELS = 10;
const VALUE_TYPE_NAMES = {
  string: 'text', integer: 'a whole number', number: 'a number', boolean: 'true or false', null: 'null', array: 'a list', object: 'an object',
};

/** What is wrong with a value: `[{path, message, missing}]`, where `missing` marks places that are only not filled in yet. */
export function validateValue(root, node, value, path = []) {
  const problems = new Map();
  for (const problem of problemsOf({ root, depth: 0 }, node, value, path)) {
    problems.set(JSON.stringify([problem.path, problem.message]), problem);
  }
  return [...problems.values()];
}

function problemsOf(context, node, value, path) {
  const problems = [];
  const report = (message, place = path) => problems.push({ path: place, message: `${pathName(place)} ${message}` });
  const check = {
    root: context.root,
    depth: context.depth + 1,
    report,
    also: (schema) => problems.push(...problemsOf(check, schema, value, path)),
    inside: (schema, part, place) => problems.push(...problemsOf(check, schema, part, place)),
    fits: (schema) => problemsOf(check, schema, value, path).length === 0,
    partFits: (schema, part) => problemsOf(check, schema, part, path).length === 0,
  };
  if (value === undefined) {
    report('is required');
    problems[0].missing = true;
  } else if (node === false) {
    report('must not be there; remove it');
  } else if (check.depth < DEEPEST_CHECK && isPlainObject(node)) {
    checkValue(check, node, value, path);
  }
  return problems;
}

function checkValue(check, node, value, path) {
  const schema = resolveSchema(check.root, node);
  if (Object.hasOwn(schema, 'const') && !sameJson(schema.const, value)) return check.report(`must be ${choiceLabel(schema.const)}`);
  if (Array.isArray(schema.enum) && !schema.enum.some((choice) => sameJson(choice, value))) {
    return check.report(`must be ${either(schema.enum.map(choiceLabel))}`);
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return check.report(`must be ${either(types.map((type) => VALUE_TYPE_NAMES[type] ?? type))}`);
  }
  checkAlternatives(check, node, schema, value, path);
  checkConditions(check, schema, value);
  if (typeof value === 'string') checkText(check, schema, value);
  else if (!Number.isNaN(numberOf(value))) checkNumber(check, schema, value);
  else if (Array.isArray(value)) checkItems(check, schema, value, path);
  else if (isPlainObject(value)) checkFields(check, schema, value, path);
  return undefined;
}

function either(labels) {
  const shown = labels.slice(0, MOST_LABELS);
  if (labels.length > shown.length) return `one of ${shown.join(', ')} and ${labels.length - shown.length} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

function isOfType(type, value) {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(numberOf(value));
    case 'number':
      return !Number.isNaN(numberOf(value));
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    default:
      return true;
  }
}

// `oneOf` is taken as `anyOf`: servers decide by a tag or by the first type that fits; none refuses a value that fits twice.
function checkAlternatives(check, node, schema, value, path) {
  for (const keyword of ['oneOf', 'anyOf']) {
    if (!Array.isArray(schema[keyword])) continue;
    // Options that share fields with their surroundings are complete only in the description.
    const shape = describeNode(check.root, node);
    const union = shape.kind === 'nullable' ? shape.inner : shape;
    const canBeNull = schema[keyword].some((option) => resolveSchema(check.root, option).type === 'null');
    if (value === null && canBeNull) continue;
    const options = union.kind === 'union' && union.keyword === keyword ? union.options.map((option) => option.node) : schema[keyword];
    if (options.some((option) => check.fits(option))) continue;
    if (union.kind === 'enum' || union.kind === 'const') {
      const labels = union.choices?.map((choice) => choiceLabel(choice.value)) ?? [choiceLabel(union.value)];
      check.report(`must be ${either(canBeNull ? [...labels, 'null'] : labels)}`);
      continue;
    }
    if (isWrongTag(check.root, union, value)) {
      const place = [...path, union.tag];
      if (value[union.tag] === undefined) check.inside(true, undefined, place);
      else check.report(`must be ${either(union.options.map(({ label }) => label))}`, place);
      continue;
    }
    const fits = options.map((option) => fitness(check.root, option, value));
    const best = Math.max(...fits);
    if (best > 0) check.also(options[fits.indexOf(best)]);
    else check.report(`must be ${either(alternativeNames(check.root, union, options, canBeNull))}`);
  }
}

/** Whether the field that tells the options apart tells none of them. */
function isWrongTag(root, union, value) {
  if (union.kind !== 'union' || union.tag === null || union.tag === undefined || !isPlainObject(value)) return false;
  return !union.options.some(({ node }) => {
    const { properties } = resolveSchema(root, node);
    return properties?.[union.tag] !== undefined && value[union.tag] !== undefined && sameJson(fixedValue(root, properties[union.tag]), value[union.tag]);
  });
}

function alternativeNames(root, union, options, canBeNull) {
  const names = union.options?.map(({ label }) => label) ?? options.map((option) => {
    const { type, title } = resolveSchema(root, option);
    return VALUE_TYPE_NAMES[type] ?? title ?? 'something else';
  });
  return [...new Set(canBeNull ? [...names.filter((name) => name !== 'null'), 'null'] : names)];
}

function checkConditions(check, schema, value) {
  for (const part of schema.allOf ?? []) check.also(part);
  if (schema.not !== undefined && check.fits(schema.not)) check.report('is not allowed to be this');
  if (schema.if !== undefined) {
    const branch = check.fits(schema.if) ? schema.then : schema.else;
    if (branch !== undefined) check.also(branch);
  }
}

function checkText(check, schema, value) {
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const length = textLength(value, minLength, maxLength);
  if (length === 0 && minLength > 0) return check.report('must not be empty');
  if (length < minLength) check.report(`must have at least ${counted(minLength, 'character')} (it has ${length})`);
  if (length > maxLength) check.report(`must have at most ${counted(maxLength, 'character')} (it has ${length})`);
  if (typeof pattern === 'string' && !(patternOf(pattern)?.test(value) ?? true)) check.report(`must match the pattern ${pattern}`);
  const misfit = formatMisfit(schema, value);
  if (misfit) check.report(misfit);
  return undefined;
}

/** In characters, as servers count; text that is far from its limits is not taken apart for that. */
function textLength(value, minLength, maxLength) {
  const isNear = value.length > maxLength || value.length < 2 * minLength;
  return isNear ? [...value].length : value.length;
}

function counted(count, unit, units = `${unit}s`) {
  return `${count} ${count === 1 ? unit : units}`;
}

/** A pattern that JavaScript does not know is left to the server. */
function patternOf(pattern) {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Patterns of Python and Rust may be valid without `u` only, or not at all.
    }
  }
  return null;
}

function checkNumber(check, schema, value) {
  const number = numberOf(value);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const [least, most] = wholeNumberLimits(schema);
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (typeof above === 'number' && number <= above) check.report(`must be above ${above}`);
  else if (number < minimum || number < least) check.report(`must be at least ${exactNumberText(Math.max(minimum ?? -Infinity, least))}`);
  if (typeof below === 'number' && number >= below) check.report(`must be below ${below}`);
  else if (number > maximum || number > most) check.report(`must be at most ${exactNumberText(Math.min(maximum ?? Infinity, most))}`);
  if (multipleOf > 0 && !isMultiple(number, multipleOf)) check.report(`must be a multiple of ${multipleOf}`);
}

/** As tolerant as servers are: `0.3` is three times `0.1`. */
function isMultiple(number, step) {
  const rest = Math.abs(number % step);
  const tolerance = Math.abs(number) / 1e9;
  return rest <= tolerance || Math.abs(rest - step) <= tolerance;
}

function checkItems(check, schema, items, path) {
  const { minItems = 0, maxItems = Infinity } = schema;
  const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  if (items.length < minItems) check.report(`needs at least ${counted(minItems, 'item')}`);
  if (items.length > maxItems) check.report(`can have at most ${counted(maxItems, 'item')}`);
  if (rest === false && items.length > first.length && items.length <= maxItems) check.report(`can have at most ${counted(first.length, 'item')}`);
  items.forEach((item, index) => {
    const node = index < first.length ? first[index] : rest === false ? true : rest ?? true;
    check.inside(node, item, [...path, index]);
  });
  if (schema.uniqueItems) {
    items.forEach((item, index) => {
      const earlier = items.slice(0, index).findIndex((other) => sameJson(other, item));
      if (earlier >= 0 && item !== undefined) check.report(`is the same as item ${earlier + 1}; no item may be there twice`, [...path, index]);
    });
  }
  if (schema.contains !== undefined) {
    const found = items.filter((item) => check.partFits(schema.contains, item)).length;
    const { minContains = 1, maxContains = Infinity } = schema;
    if (found < minContains) check.report(`needs at least ${counted(minContains, 'item')} of a certain kind`);
    if (found > maxContains) check.report(`can have at most ${counted(maxContains, 'item')} of a certain kind`);
  }
}

function checkFields(check, schema, value, path) {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const isThere = (name) => names.includes(name);
  const missing = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, needed] of Object.entries(schema.dependentRequired ?? {})) {
    if (isThere(name)) needed.forEach((other) => missing.add(other));
  }
  for (const name of missing) {
    if (!isThere(name)) check.inside(true, undefined, [...path, name]);
  }
  const { minProperties = 0, maxProperties = Infinity } = schema;
  if (names.length < minProperties) check.report(`needs at least ${counted(minProperties, 'entry', 'entries')}`);
  if (names.length > maxProperties) check.report(`can have at most ${counted(maxProperties, 'entry', 'entries')}`);
  for (const name of names) checkField(check, schema, properties, name, value[name], [...path, name]);
  for (const [name, dependent] of Object.entries(schema.dependentSchemas ?? {})) {
    if (isThere(name)) check.also(dependent);
  }
}

function checkField(check, schema, properties, name, inside, place) {
  const patterns = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => patternOf(pattern)?.test(name));
  if (schema.propertyNames !== undefined && !check.partFits(schema.propertyNames, name)) check.report('is not a name that is allowed here', place);
  if (Object.hasOwn(properties, name)) check.inside(properties[name], inside, place);
  for (const [, node] of patterns) check.inside(node, inside, place);
  if (Object.hasOwn(properties, name) || patterns.length > 0) return;
  const extra = schema.additionalProperties ?? schema.unevaluatedProperties ?? true;
  if (extra !== false) {
    check.inside(extra, inside, place);
    return;
  }
  const near = nearestName(name, Object.keys(properties));
  check.report(near ? `is not known; did you mean \`${near}\`?` : 'is not known; remove it', place);
}

function nearestName(name, known) {
  const close = known.map((other) => [editDistance(name.toLowerCase(), other.toLowerCase()), other]).sort(([one], [other]) => one - other);
  return close.length > 0 && close[0][0] <= Math.max(1, Math.floor(name.length / 3)) ? close[0][1] : null;
}

function editDistance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = row[column - 1] + (one[line - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(changed, row[column] + 1, next[column - 1] + 1));
    }
    row = next;
  }
  return row.at(-1);
}
