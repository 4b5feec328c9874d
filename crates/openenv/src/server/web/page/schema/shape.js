// What a JSON Schema asks for, whoever wrote it (pydantic, schemars, people), as one of a few kinds of values.

import { isSchemaNote, mergeSchemas } from './schema_merge.js';
import { isPlainObject } from './json_text.js';

const NO_VALUE = { not: {} };
const MULTILINE_NAME = /code|message|response|text|content|answer|prompt|script|query/i;
const resolvedSchemas = new WeakMap();
const shapes = new WeakMap();

function remembered(memory, root, node, compute) {
  const ofRoot = isPlainObject(root) ? root : NO_VALUE;
  if (!memory.has(ofRoot)) memory.set(ofRoot, new WeakMap());
  const known = memory.get(ofRoot);
  if (!known.has(node)) known.set(node, compute());
  return known.get(node);
}

/** A schema without `$ref` and `allOf` at its top: places deeper inside stay as they are, so that recursion ends. */
export function resolveSchema(root, node) {
  if (node === false) return NO_VALUE;
  if (!isPlainObject(node)) return {};
  return remembered(resolvedSchemas, root, node, () => {
    // The same definition is the same object, which tells types that contain themselves.
    const target = Object.keys(node).length === 1 && typeof node.$ref === 'string' ? referred(root, node.$ref) : null;
    const isPlain = isPlainObject(target) && target.$ref === undefined && target.allOf === undefined;
    return isPlain ? resolveSchema(root, target) : resolveFollowing(root, node, []);
  });
}

function resolveFollowing(root, node, seen) {
  if (node === false) return NO_VALUE;
  if (!isPlainObject(node) || seen.includes(node)) return {};
  const { $ref, allOf, ...own } = node;
  const following = [...seen, node];
  let schema = {};
  if (typeof $ref === 'string') schema = resolveFollowing(root, referred(root, $ref), following);
  // A definition brings its own definitions along; they are found at the root.
  if (Object.hasOwn(schema, '$defs') && typeof $ref === 'string') schema = withoutKeywords(schema, ['$defs', 'definitions']);
  for (const part of Array.isArray(allOf) ? allOf : []) {
    schema = mergeSchemas(schema, resolveFollowing(root, part, following));
  }
  schema = mergeSchemas(schema, own);
  if (schema.nullable === true && schema.type !== undefined) {
    schema = { ...withoutKeywords(schema, ['nullable']), type: [...new Set([schema.type, 'null'].flat())] };
  }
  return schema;
}

function withoutKeywords(schema, keywords) {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

function referred(root, reference) {
  if (!reference.startsWith('#')) return {};
  let place = root;
  for (const part of decodeURIComponent(reference.slice(1)).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return {};
    place = place[name];
  }
  return place;
}

/**
 * What to fill in, as `{ kind, schema, … }`; by kind there are also
 * enum: `choices [{value, label, description}]`; const: `value`; nullable: `inner` (a shape); union: `options [{node, label, description}]`, `tag`;
 * object: `fields [{name, node, required}]`, `extra` (schema of further fields, or false); map: `extra`; array: `item`; tuple: `items`, `rest`.
 */
export function describeNode(root, node) {
  const schema = resolveSchema(root, node);
  return remembered(shapes, root, schema, () => shapeOf(root, schema, 0));
}

/** The name of the kind alone; text that wants several lines is `text`. */
export function nodeKind(root, node, name = '', value = undefined) {
  const shape = describeNode(root, node);
  return shape.kind === 'string' && isMultiline(shape.schema, name, value) ? 'text' : shape.kind;
}

export function isMultiline(schema, name, value) {
  if (typeof value === 'string' && value.includes('\n')) return true;
  if (schema.format !== undefined || schema.pattern !== undefined || schema.maxLength <= 30) return false;
  return schema.maxLength > 100 || MULTILINE_NAME.test(name);
}

function shapeOf(root, schema, depth) {
  if (depth > 20) return { kind: 'any', schema };
  if (Object.hasOwn(schema, 'const')) return { kind: 'const', schema, value: schema.const };
  if (Array.isArray(schema.enum)) return enumShape(schema, schema.enum.map((value) => ({ value })));
  const union = unionShape(root, schema, depth);
  if (union) return union;
  if (Array.isArray(schema.type)) return typesShape(root, schema, depth);
  return typedShape(root, schema, schema.type ?? impliedType(schema));
}

function enumShape(schema, choices) {
  const named = choices.map((choice) => ({ ...choice, label: choice.label ?? choiceLabel(choice.value) }));
  if (named.length === 1) return { kind: 'const', schema, value: named[0].value, description: named[0].description };
  return { kind: 'enum', schema, choices: named };
}

export function choiceLabel(value) {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Keywords that tell the type although `type` is missing. */
function impliedType(schema) {
  const has = (...keywords) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'additionalProperties', 'required', 'patternProperties', 'propertyNames', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minLength', 'maxLength', 'pattern', 'contentMediaType', 'contentEncoding')) return 'string';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number';
  return undefined;
}

function typedShape(root, schema, type) {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'integer':
    case 'null':
      return { kind: type, schema };
    case 'object':
      return objectShape(schema);
    case 'array':
      return arrayShape(schema);
    default:
      return { kind: 'any', schema };
  }
}

function objectShape(schema) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const fields = Object.entries(properties).map(([name, node]) => ({ name, node, required: required.includes(name) }));
  for (const name of required) {
    if (!Object.hasOwn(properties, name)) fields.push({ name, node: {}, required: true });
  }
  const patterns = Object.values(schema.patternProperties ?? {});
  let extra = schema.additionalProperties ?? schema.unevaluatedProperties;
  if (extra === undefined || extra === false) extra = patterns.length > 0 ? patterns[0] : extra;
  if (fields.length === 0 && extra !== false) return { kind: 'map', schema, extra: extra ?? {} };
  return { kind: 'object', schema, fields, extra: extra ?? {}, invitesExtra: extra !== undefined && extra !== false };
}

function arrayShape(schema) {
  const items = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined);
  if (!Array.isArray(items)) return { kind: 'array', schema, item: schema.items ?? {} };
  const rest = schema.prefixItems ? schema.items : schema.additionalItems;
  const isFull = schema.maxItems !== undefined && schema.maxItems <= items.length;
  return { kind: 'tuple', schema, items, rest: isFull ? false : rest ?? {} };
}

function typesShape(root, schema, depth) {
  const types = schema.type.filter((type) => !(type === 'integer' && schema.type.includes('number')));
  const others = types.filter((type) => type !== 'null');
  if (others.length === 0) return { kind: 'null', schema };
  const single = others.length === 1 ? shapeOf(root, { ...schema, type: others[0] }, depth + 1) : null;
  if (single) return types.length > 1 ? { kind: 'nullable', schema, inner: single } : single;
  // What the whole says about itself would be said again by each part.
  const bare = withoutKeywords(schema, ['title', 'description', 'default', 'examples']);
  const union = { kind: 'union', schema, options: labelled(root, others.map((type) => ({ node: { ...bare, type } })), null) };
  return types.length > others.length ? { kind: 'nullable', schema, inner: union } : union;
}

function unionShape(root, schema, depth) {
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(schema[name]) && schema[name].some((option) => isAlternative(root, option)));
  if (!keyword) return null;
  const notes = {};
  const base = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === keyword) continue;
    (isSchemaNote(name) ? notes : base)[name] = value;
  }
  const { $defs, definitions, discriminator, ...told } = notes;
  const shared = Object.keys(base).length > 0;
  const resolved = schema[keyword].map((option) => ({
    original: option,
    // Fields beside a union belong to each of its options.
    node: shared ? { allOf: [base, option] } : option,
    schema: resolveSchema(root, option),
  }));
  const others = resolved.filter((option) => !isNullSchema(option.schema));
  const inner = innerUnion(root, told, others, { keyword, discriminator }, depth);
  return others.length < resolved.length && inner.kind !== 'null' ? { kind: 'nullable', schema, inner } : inner;
}

function isNullSchema(schema) {
  return schema.type === 'null' || (Object.hasOwn(schema, 'const') && schema.const === null);
}

/** Options that only restrict, such as `{required: […]}`, are no types to choose from. */
function isAlternative(root, option) {
  const schema = resolveSchema(root, option);
  return ['type', 'properties', 'const', 'enum', 'oneOf', 'anyOf', 'items', 'prefixItems', 'additionalProperties'].some((keyword) =>
    Object.hasOwn(schema, keyword),
  ) || Object.keys(schema).every(isSchemaNote);
}

function innerUnion(root, notes, options, { keyword, discriminator }, depth) {
  if (options.length === 0) return { kind: 'null', schema: notes };
  if (options.length === 1) {
    return shapeOf(root, mergeSchemas(resolveSchema(root, options[0].node), notes), depth + 1);
  }
  const choices = options.flatMap(({ schema }) => literals(schema) ?? [null]);
  if (!choices.includes(null)) return enumShape(notes, choices);
  const numbers = options.filter(({ schema }) => !(schema.type === 'integer' && Object.keys(schema).every((name) => name === 'type' || isSchemaNote(name))));
  if (numbers.length === 1 && numbers[0].schema.type === 'number') {
    return shapeOf(root, mergeSchemas(numbers[0].schema, notes), depth + 1);
  }
  const tag = unionTag(root, options, discriminator);
  return { kind: 'union', schema: notes, keyword, tag, options: labelled(root, options, tag) };
}

/** The values of a schema that lists them, with what it says about them. */
function literals(schema) {
  const { title, description } = schema;
  if (Object.hasOwn(schema, 'const')) return [{ value: schema.const, label: title, description }];
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value, description: schema.enum.length === 1 ? description : undefined }));
  return null;
}

/** The field whose fixed value tells the options of a union apart. */
function unionTag(root, options, discriminator) {
  if (typeof discriminator?.propertyName === 'string') return discriminator.propertyName;
  const objects = options.map(({ node }) => resolveSchema(root, node)).filter((schema) => isPlainObject(schema.properties));
  if (objects.length < 2) return null;
  const isTag = (name) => {
    const values = objects.map((schema) => fixedValue(root, schema.properties[name]));
    return values.every((value) => value !== undefined) && new Set(values).size === values.length;
  };
  return Object.keys(objects[0].properties).find(isTag) ?? null;
}

/** The only value a place can have, `undefined` if there are more. */
export function fixedValue(root, node) {
  if (node === undefined) return undefined;
  const shape = describeNode(root, node);
  return shape.kind === 'const' ? shape.value : undefined;
}

function labelled(root, options, tag) {
  const used = new Map();
  return options.map(({ node, original }) => {
    const schema = resolveSchema(root, node);
    let label = optionLabel(root, schema, original ?? node, tag);
    const count = (used.get(label) ?? 0) + 1;
    used.set(label, count);
    if (count > 1) label = `${label} (${count})`;
    return { node, label, description: schema.description };
  });
}

function optionLabel(root, schema, original, tag) {
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const value = tag === null ? undefined : fixedValue(root, properties[tag]);
  if (value !== undefined) return choiceLabel(value);
  if (typeof schema.title === 'string') return schema.title;
  if (Object.hasOwn(schema, 'const')) return choiceLabel(schema.const);
  if (typeof original.$ref === 'string') return original.$ref.split('/').pop();
  const names = Object.keys(properties);
  if (names.length === 1 && schema.required?.includes(names[0])) return names[0];
  if (Array.isArray(schema.enum)) return schema.enum.map(choiceLabel).join(' | ').slice(0, 40);
  const plain = { string: 'text', integer: 'whole number', array: 'list', boolean: 'true or false', null: 'null' };
  const type = typeof schema.type === 'string' ? schema.type : impliedType(schema) ?? 'anything';
  if (type === 'object' && names.length > 0) return names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
  if (type === 'array' && isPlainObject(schema.items)) return `list of ${optionLabel(root, resolveSchema(root, schema.items), schema.items, null)}`;
  return plain[type] ?? type;
}
