import test from 'node:test';
import assert from 'node:assert/strict';

import { describeNode, isMultiline, nodeKind, resolveSchema } from '../../../crates/openenv/src/server/web/page/schema/shape.js';
import { fitness, matchingOption } from '../../../crates/openenv/src/server/web/page/schema/shape_fit.js';
import { addedValue, convertValue, defaultValue, quickActions } from '../../../crates/openenv/src/server/web/page/schema/schema.js';
import { shapeWords } from '../../../crates/openenv/src/server/web/page/schema/schema_words.js';
import { objectWith, published, serdeEnums } from './schemas.mjs';

const kindOf = (node) => nodeKind(node, node);
const describe = (node) => describeNode(node, node);
const wordsOf = (node) => shapeWords(node, describe(node));

test('references are followed, with what stands beside them', () => {
  const root = {
    $defs: { 'a/b': { type: 'string', description: 'of the definition', minLength: 1 }, Link: { $ref: '#/$defs/a~1b' } },
    definitions: { Old: { type: 'integer' } },
  };
  assert.deepEqual(resolveSchema(root, { $ref: '#/$defs/a~1b', description: 'here', maxLength: 5 }), {
    type: 'string', description: 'here', minLength: 1, maxLength: 5,
  });
  assert.equal(resolveSchema(root, { $ref: '#/$defs/Link' }).type, 'string');
  assert.equal(resolveSchema(root, { $ref: '#/definitions/Old' }).type, 'integer');
  assert.equal(nodeKind(root, { $ref: '#/$defs/Missing' }), 'any');
  assert.equal(nodeKind(root, { $ref: 'https://example.com/elsewhere' }), 'any');
});

test('schemas that refer to themselves come to an end', () => {
  for (const endless of [{ $ref: '#' }, { anyOf: [{ $ref: '#' }] }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }, { oneOf: [{ $ref: '#' }, { $ref: '#' }] }]) {
    describe(endless);
    defaultValue(endless);
    fitness(endless, endless, { a: 1 });
    quickActions(endless);
  }
  const tree = { $defs: { Tree: objectWith({ children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }) }, $ref: '#/$defs/Tree' };
  assert.deepEqual(defaultValue(tree), { children: [] });
  const forced = { $defs: { Tree: objectWith({ next: { $ref: '#/$defs/Tree' } }) }, $ref: '#/$defs/Tree' };
  assert.equal(kindOf(forced), 'object');
  defaultValue(forced);
});

test('the same definition is the same shape', () => {
  const root = published.QueryAction;
  const [where] = describeNode(root, root).fields.filter(({ name }) => name === 'where');
  assert.equal(describeNode(root, where.node), describeNode(root, { $ref: '#/$defs/Expression' }));
});

test('kinds', () => {
  const kinds = [
    [{ type: 'string' }, 'string'], [{ type: 'integer' }, 'integer'], [{ type: 'number' }, 'number'], [{ type: 'boolean' }, 'boolean'], [{ type: 'null' }, 'null'],
    [{ enum: ['a', 'b'] }, 'enum'], [{ enum: ['a'] }, 'const'], [{ const: 1 }, 'const'], [{ const: null }, 'const'],
    [{}, 'any'], [true, 'any'], [{ description: 'anything' }, 'any'],
    [{ type: 'object' }, 'map'], [{ type: 'object', additionalProperties: { type: 'string' } }, 'map'], [{ patternProperties: { '^x': {} } }, 'map'],
    [{ type: 'object', properties: { a: {} } }, 'object'], [{ type: 'object', properties: {}, additionalProperties: false }, 'object'],
    [{ type: 'array' }, 'array'], [{ items: { type: 'string' } }, 'array'],
    [{ type: 'array', prefixItems: [{}, {}] }, 'tuple'], [{ type: 'array', items: [{}], additionalItems: false }, 'tuple'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'union'], [{ type: ['string', 'integer'] }, 'union'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'nullable'], [{ type: ['string', 'null'] }, 'nullable'], [{ type: 'string', nullable: true }, 'nullable'],
    [{ oneOf: [{ const: 'a', description: 'A' }, { enum: ['b', 'c'] }] }, 'enum'],
    [{ anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'], [{ type: ['integer', 'number'] }, 'number'],
    [{ minLength: 1 }, 'string'], [{ minimum: 1 }, 'number'],
    [{ properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'object'],
    [{ allOf: [{ type: 'integer' }, { minimum: 3 }] }, 'integer'],
    [{ allOf: [{ type: 'number' }, { type: 'integer' }] }, 'integer'],
  ];
  for (const [schema, kind] of kinds) assert.equal(kindOf(schema), kind, JSON.stringify(schema));
});

test('text of several lines is known by its name, its length and its content', () => {
  for (const name of ['code', 'message', 'system_prompt', 'answer_text', 'sql_query']) assert.equal(nodeKind({}, { type: 'string' }, name), 'text', name);
  for (const name of ['name', 'path', 'tool_name']) assert.equal(nodeKind({}, { type: 'string' }, name), 'string', name);
  assert.equal(isMultiline({ maxLength: 500 }, 'name'), true);
  assert.equal(isMultiline({}, 'name', 'a\nb'), true);
  assert.equal(isMultiline({ pattern: '^\\d+$' }, 'code'), false);
  assert.equal(isMultiline({ format: 'uri' }, 'content_url'), false);
});

test('parts that all hold are merged', () => {
  const merged = resolveSchema({}, {
    allOf: [
      { properties: { a: { minimum: 1 } }, required: ['a'], minProperties: 1 },
      { properties: { a: { maximum: 4 }, b: { type: 'string' } }, required: ['b'], minProperties: 2 },
    ],
    description: 'Both',
  });
  assert.deepEqual(merged.required, ['a', 'b']);
  assert.equal(merged.minProperties, 2);
  assert.deepEqual(resolveSchema({}, merged.properties.a), { minimum: 1, maximum: 4 });
  assert.deepEqual(resolveSchema({}, { allOf: [{ enum: [1, 2, 3] }, { enum: [2, 3, 4] }] }).enum, [2, 3]);
  assert.deepEqual(resolveSchema({}, { allOf: [{ pattern: 'a' }, { pattern: 'b' }] }), { pattern: 'a', allOf: [{ pattern: 'b' }] });
});

test('options of a union have names', () => {
  const labels = (schema) => describe(schema).options.map(({ label }) => label);
  assert.deepEqual(labels(serdeEnums.external), ['Empty | Full', 'Circle', 'Text']);
  assert.deepEqual(labels(serdeEnums.internal), ['empty', 'circle']);
  assert.deepEqual(labels(serdeEnums.adjacent), ['Empty', 'Text']);
  assert.deepEqual(labels(serdeEnums.untagged), ['whole number', 'text', 'radius']);
  assert.deepEqual(labels(published.Shop), ['look', 'buy', 'pay']);
  assert.deepEqual(labels(published.McpAction), ['list_tools', 'call_tool']);
  assert.deepEqual(labels({ anyOf: [{ type: 'string', title: 'Name' }, { type: 'string', title: 'Name' }, { type: 'integer' }] }), ['Name', 'Name (2)', 'whole number']);
  assert.deepEqual(labels({ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] }), ['list of text', 'text']);
  assert.equal(describe(serdeEnums.internal).tag, 'kind');
  assert.equal(describe(serdeEnums.adjacent).tag, 't');
  assert.equal(describe(serdeEnums.untagged).tag, null);
});

test('fields beside a union belong to each option', () => {
  const schema = { properties: { speed: { type: 'integer' } }, required: ['speed'], ...serdeEnums.internal };
  const [, circle] = describe(schema).options;
  assert.deepEqual(describeNode(schema, circle.node).fields.map(({ name, required }) => [name, required]), [['speed', true], ['kind', true], ['radius', true]]);
});

test('choices keep what is said about them', () => {
  const { choices } = describe({ oneOf: [{ const: 'up', description: 'Away' }, { const: 3, title: 'Three' }, { enum: [null, true] }] });
  assert.deepEqual(choices, [
    { value: 'up', label: 'up', description: 'Away' }, { value: 3, label: 'Three', description: undefined },
    { value: null, label: 'null', description: undefined }, { value: true, label: 'true', description: undefined },
  ]);
});

test('a value finds its option', () => {
  const at = (schema, value) => matchingOption(schema, schema, value);
  assert.deepEqual(['Full', { Circle: { radius: 1 } }, { Text: 'x' }, { Text: 5 }].map((value) => at(serdeEnums.external, value)), [0, 1, 2, 2]);
  assert.deepEqual([{ kind: 'empty' }, { kind: 'circle' }, { radius: 2 }].map((value) => at(serdeEnums.internal, value)), [0, 1, 1]);
  assert.deepEqual([4, '4', { radius: 1 }, 'x'].map((value) => at(serdeEnums.untagged, value)), [0, 1, 2, 1]);
  const shop = (value) => at(published.Shop, value);
  assert.deepEqual([shop({ do: 'pay' }), shop({ do: 'buy', coins: {} }), shop(undefined)], [2, 1, 0]);
  const nullable = { anyOf: [...serdeEnums.untagged.anyOf, { type: 'null' }] };
  assert.equal(at(nullable, 'x'), 1);
});

test('a form starts with what is certain and nothing else', () => {
  const started = Object.fromEntries(Object.entries(published).map(([name, schema]) => [name, JSON.parse(JSON.stringify(defaultValue(schema)))]));
  assert.deepEqual(started, {
    EchoAction: {}, CallToolAction: { type: 'call_tool' }, PAction: {}, CodeAction: {}, ChatAction: { tokens: [] }, AtariAction: {}, GitAction: {}, OpenSpielAction: {},
    BenchmarkAction: {}, HarnessAction: {}, ListToolsAction: { type: 'list_tools' }, MoveAction: { direction: 'north' }, ComputerAction: { event: { kind: 'click' } },
    QueryAction: { where: { operator: 'and', operands: [] } }, RecordAction: { labels: {}, score: null }, McpAction: { type: 'list_tools' }, Shop: { do: 'look' },
  });
  assert.deepEqual(defaultValue(objectWith({ a: { default: { deep: [1] } }, b: { type: 'boolean' }, c: { type: 'array', minItems: 2, items: { type: 'boolean' } } })), {
    a: { deep: [1] }, b: false, c: [false, false],
  });
  assert.deepEqual(defaultValue(objectWith({ only: { type: 'integer', minimum: 7, maximum: 7 } })), { only: 7 });
  assert.equal(defaultValue(true), undefined);
});

test('defaults are copies', () => {
  const schema = objectWith({ a: { default: [] } });
  defaultValue(schema).a.push(1);
  assert.deepEqual(defaultValue(schema), { a: [] });
});

test('what somebody asks for is not null', () => {
  const point = objectWith({ x: { type: 'integer' } });
  assert.deepEqual(addedValue(point, describe({ anyOf: [point, { type: 'null' }], default: null })), { x: undefined });
  assert.equal(addedValue({}, describe({ type: ['string', 'null'] })), '');
  assert.deepEqual(addedValue({}, describe({ type: 'array', items: {}, default: [1] })), [1]);
});

test('another type keeps what fits', () => {
  const { options } = describe(published.Shop);
  const kept = convertValue(published.Shop, options[1].node, { do: 'pay', price: 3, note: 'x', metadata: { a: 1 } });
  assert.equal(kept.do, 'buy');
  assert.equal(kept.price, 3);
  assert.deepEqual(kept.metadata, { a: 1 });
  assert.equal('note' in kept, false);
  assert.equal(convertValue({}, { type: 'integer' }, '12'), 12);
  assert.equal(convertValue({}, { type: 'integer' }, 'x'), undefined);
  assert.equal(convertValue({}, { type: 'string' }, 5), '5');
  assert.deepEqual(convertValue({}, { type: 'array', items: { type: 'string' } }, 'x'), ['x']);
  assert.equal(convertValue({}, { type: 'string' }, ['x']), 'x');
  assert.deepEqual(convertValue({}, { type: 'object', additionalProperties: { type: 'string' } }, { a: 'x' }), { a: 'x' });
});

test('actions that can be counted take one click', () => {
  assert.deepEqual(quickActions(published.MoveAction).map(({ label }) => label), ['north', 'east', 'south', 'west']);
  assert.deepEqual(quickActions(published.MoveAction)[1].action, { direction: 'east' });
  assert.deepEqual(quickActions(published.McpAction), [{ label: 'list_tools', action: { type: 'list_tools' } }]);
  assert.deepEqual(quickActions(objectWith({ up: { type: 'boolean' } })), [{ label: 'up true', action: { up: true } }, { label: 'up false', action: { up: false } }]);
  assert.deepEqual(quickActions(objectWith({ id: { type: 'integer', minimum: 0, maximum: 2 } })).map(({ action }) => action), [{ id: 0 }, { id: 1 }, { id: 2 }]);
  assert.deepEqual(quickActions(objectWith({ kind: { const: 'go' }, to: { enum: ['a', 'b'] } }))[1], { label: 'go b', action: { kind: 'go', to: 'b' } });
  for (const name of ['EchoAction', 'PAction', 'GitAction', 'RecordAction', 'AtariAction', 'ComputerAction']) assert.deepEqual(quickActions(published[name]), [], name);
  assert.deepEqual(quickActions(objectWith({ id: { type: 'integer', minimum: 0, maximum: 17 } })), []);
  assert.deepEqual(quickActions(objectWith({ a: { type: 'boolean' }, b: { type: 'boolean' } })), []);
  assert.deepEqual(quickActions({}), []);
});

test('types in words', () => {
  const words = [
    [{ type: 'integer', minimum: 1, maximum: 10 }, 'whole number, 1 to 10'],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 5 }, 'number, above 0 and at most 5'],
    [{ type: 'number', minimum: 0, exclusiveMinimum: true }, 'number, above 0'],
    [{ type: 'integer', multipleOf: 5 }, 'whole number, a multiple of 5'],
    [{ type: 'string', minLength: 1, maxLength: 20 }, 'text, 1 to 20 characters'],
    [{ type: 'string', pattern: '^a+$' }, 'text, like ^a+$'],
    [{ type: 'string', format: 'date-time' }, 'date and time'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'list of text, at least 1 item'],
    [{ type: ['string', 'null'] }, 'text, or null'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'named values of whole number'],
    [serdeEnums.untagged, 'one of several types'],
    [{}, 'anything'],
  ];
  for (const [schema, text] of words) assert.equal(wordsOf(schema), text);
});
