import test from 'node:test';
import assert from 'node:assert/strict';

import { validateValue } from '../../../crates/openenv/src/server/web/page/schema/validate.js';
import { parseJson } from '../../../crates/openenv/src/server/web/page/schema/json_text.js';
import { objectWith, published, serdeEnums } from './schemas.mjs';

const messages = (schema, value) => validateValue(schema, schema, value).map(({ message }) => message);
/** Checks a field `a`, for the messages to name it. */
const wrong = (node, value) => messages({ properties: { a: node }, required: ['a'] }, { a: value });

test('good actions of published schemas pass', () => {
  const good = {
    EchoAction: [{ message: 'hi' }, { message: 'hi', amount: 0, mode: 'upper', metadata: { a: [1] } }],
    CallToolAction: [{ type: 'call_tool', tool_name: 'x', arguments: { a: null } }, { tool_name: 'x' }],
    ChatAction: [{ tokens: [1, 2] }],
    GitAction: [{}, { target_dir: null }, { target_dir: 'x' }],
    MoveAction: [{ direction: 'west', speed: 5, path: [{ x: -180, y: 89.9 }], target: null }],
    ComputerAction: [{ event: { kind: 'click', x: 0, y: 1079 } }, { event: { kind: 'wait', seconds: 0.75 } }, { event: { kind: 'keys', text: 'a', modifiers: ['ctrl'] } }],
    QueryAction: [{ where: { operator: 'and', operands: ['a', { operator: 'not', operands: ['b'] }] }, order: [['name', 'asc']] }],
    RecordAction: [{ id: '123e4567-e89b-42d3-a456-426614174000', at: '2026-01-31T13:45:00Z', code: 'AB-1234', labels: { a: 'b' }, score: null, extra: [1] }],
    McpAction: [{ type: 'list_tools' }, { type: 'call_tool', tool_name: 'x' }],
    Shop: [{ do: 'look' }, { do: 'buy', item: { name: 'box', inside: [{ name: 'ball', inside: [], size: 'small' }] }, price: 0.5 }, { do: 'pay', coins: { euro: 1 }, note: null }],
  };
  for (const [name, values] of Object.entries(good)) {
    for (const value of values) assert.deepEqual(messages(published[name], value), [], `${name} ${JSON.stringify(value)}`);
  }
});

test('bad actions of published schemas are told in plain words', () => {
  assert.deepEqual(messages(published.EchoAction, {}), ['`message` is required']);
  assert.deepEqual(messages(published.EchoAction, { messge: 'x', message: '', amount: 11, mode: 'z' }), [
    '`messge` is not known; did you mean `message`?', '`message` must not be empty', '`amount` must be at most 10', '`mode` must be plain or upper',
  ]);
  assert.deepEqual(messages(published.EchoAction, 'hi'), ['The value must be an object']);
  assert.deepEqual(messages(published.MoveAction, { direction: 'up', speed: 0, path: [{ x: 1.5, y: 90 }], target: 3 }), [
    '`direction` must be north, east, south or west', '`speed` must be above 0', '`path[0].x` must be a whole number', '`path[0].y` must be below 90', '`target` must be an object or null',
  ]);
  assert.deepEqual(messages(published.ComputerAction, { event: { kind: 'wait', seconds: 0.3 } }), ['`event.seconds` must be a multiple of 0.25']);
  assert.deepEqual(messages(published.ComputerAction, { event: { kind: 'drag' } }), ['`event.kind` must be click, keys or wait']);
  assert.deepEqual(messages(published.ComputerAction, { event: 'click' }), ['`event` must be click, keys or wait']);
  assert.deepEqual(messages(published.QueryAction, { where: { operator: 'and', operands: [{ operator: 'x', operands: [] }] } }), [
    '`where.operands[0].operator` must be and, or or not', '`where.operands[0].operands` needs at least 1 item',
  ]);
  assert.deepEqual(messages(published.Shop, { do: 'pay', coins: { 'old penny': -1 } }), ['`coins["old penny"]` must be at least 0']);
  assert.deepEqual(messages(published.Shop, {}), ['`do` is required']);
});

test('places that are only empty are marked', () => {
  const [problem] = validateValue(published.PAction, published.PAction, {});
  assert.deepEqual(problem, { path: ['x'], message: '`x` is required', missing: true });
  const nested = validateValue(published.ComputerAction, published.ComputerAction, { event: { kind: 'click', x: 5 } });
  assert.deepEqual(nested.map(({ path, missing }) => [path, missing]), [[['event', 'y'], true]]);
});

test('types', () => {
  assert.deepEqual(wrong({ type: 'integer' }, 1.5), ['`a` must be a whole number']);
  assert.deepEqual(wrong({ type: 'integer' }, 2.0), []);
  assert.deepEqual(wrong({ type: 'integer' }, '2'), ['`a` must be a whole number']);
  assert.deepEqual(wrong({ type: 'number' }, true), ['`a` must be a number']);
  assert.deepEqual(wrong({ type: ['string', 'null'] }, 3), ['`a` must be text or null']);
  assert.deepEqual(wrong({ type: 'string', nullable: true }, null), []);
  assert.deepEqual(wrong({ type: 'array' }, {}), ['`a` must be a list']);
  assert.deepEqual(wrong({ type: 'null' }, 0), ['`a` must be null']);
  assert.deepEqual(wrong({ type: 'boolean' }, 'true'), ['`a` must be true or false']);
  assert.deepEqual(wrong(true, { anything: [1] }), []);
  assert.deepEqual(wrong(false, 1), ['`a` must not be there; remove it']);
});

test('numbers', () => {
  assert.deepEqual(wrong({ type: 'number', minimum: 1 }, 0), ['`a` must be at least 1']);
  assert.deepEqual(wrong({ type: 'number', minimum: 0, exclusiveMinimum: true }, 0), ['`a` must be above 0']);
  assert.deepEqual(wrong({ type: 'number', exclusiveMaximum: 3 }, 3), ['`a` must be below 3']);
  assert.deepEqual(wrong({ type: 'number', multipleOf: 0.1 }, 0.3), []);
  assert.deepEqual(wrong({ type: 'number', multipleOf: 0.1 }, 0.35), ['`a` must be a multiple of 0.1']);
  assert.deepEqual(wrong({ type: 'integer', format: 'uint8' }, 256), ['`a` must be at most 255']);
  assert.deepEqual(wrong({ type: 'integer', format: 'int32' }, -(2 ** 31) - 1), ['`a` must be at least -2147483648']);
  assert.deepEqual(wrong({ type: 'integer', format: 'uint' }, -1), ['`a` must be at least 0']);
  assert.deepEqual(wrong({ type: 'integer', format: 'uint64', minimum: 0 }, parseJson('18446744073709551615').value), []);
});

test('text', () => {
  assert.deepEqual(wrong({ minLength: 3 }, 'ab'), ['`a` must have at least 3 characters (it has 2)']);
  assert.deepEqual(wrong({ maxLength: 1 }, '😀'), []);
  assert.deepEqual(wrong({ maxLength: 1 }, 'ab'), ['`a` must have at most 1 character (it has 2)']);
  assert.deepEqual(wrong({ pattern: '^\\p{L}+$' }, 'é'), []);
  assert.deepEqual(wrong({ pattern: '^[a-z]+$' }, 'A'), ['`a` must match the pattern ^[a-z]+$']);
  assert.deepEqual(wrong({ pattern: '(?P<year>\\d+)' }, 'x'), [], 'a pattern of Python only');
  const formats = [
    ['date', '2026-01-31', '31.1.2026'], ['date-time', '2026-01-31T10:00:00+01:00', 'today'], ['time', '10:00', '25:00'], ['uuid', '123e4567-e89b-42d3-a456-426614174000', '1'],
    ['email', 'a@b.c', 'a'], ['uri', 'https://example.com/x', 'example'], ['ipv4', '192.0.2.1', '192.0.2.256'], ['ipv6', '2001:db8::1', '1'], ['duration', 'PT1H', '1h'],
  ];
  for (const [format, good, bad] of formats) {
    assert.deepEqual(wrong({ type: 'string', format }, good), [], format);
    assert.match(wrong({ type: 'string', format }, bad)[0] ?? '', /^`a` must be an? .* such as /, format);
  }
  assert.deepEqual(wrong({ type: 'string', format: 'unheard of' }, 'x'), []);
  assert.deepEqual(wrong({ type: 'string', contentEncoding: 'base64' }, 'a b?'), ['`a` must be base64']);
  assert.deepEqual(wrong({ type: 'string', contentEncoding: 'base64' }, 'aGk='), []);
});

test('lists', () => {
  assert.deepEqual(wrong({ type: 'array', maxItems: 1, items: { type: 'integer' } }, [1, 'x']), ['`a` can have at most 1 item', '`a[1]` must be a whole number']);
  assert.deepEqual(wrong({ type: 'array', uniqueItems: true }, [{ b: 1, c: 2 }, 1, { c: 2, b: 1 }]), ['`a[2]` is the same as item 1; no item may be there twice']);
  assert.deepEqual(wrong({ prefixItems: [{ type: 'integer' }], items: false }, ['x', 1]), ['`a` can have at most 1 item', '`a[0]` must be a whole number']);
  assert.deepEqual(wrong({ items: [{ type: 'integer' }], additionalItems: { type: 'string' } }, [1, 2]), ['`a[1]` must be text']);
  assert.deepEqual(wrong({ contains: { const: 1 } }, [2]), ['`a` needs at least 1 item of a certain kind']);
  assert.deepEqual(wrong({ type: 'array', items: { type: 'integer' } }, [undefined]), ['`a[0]` is required']);
});

test('fields', () => {
  assert.deepEqual(wrong({ type: 'object', additionalProperties: { type: 'integer' } }, { b: 'x' }), ['`a.b` must be a whole number']);
  assert.deepEqual(wrong({ patternProperties: { '^k': { type: 'integer' } }, additionalProperties: false }, { k1: 'x', z: 1 }), ['`a.k1` must be a whole number', '`a.z` is not known; remove it']);
  assert.deepEqual(wrong({ propertyNames: { pattern: '^[a-z]$' } }, { AB: 1 }), ['`a.AB` is not a name that is allowed here']);
  assert.deepEqual(wrong({ minProperties: 2 }, { b: 1 }), ['`a` needs at least 2 entries']);
  assert.deepEqual(wrong({ dependentRequired: { b: ['c'] } }, { b: 1 }), ['`a.c` is required']);
  assert.deepEqual(wrong(objectWith({ b: {} }), { b: undefined }), ['`a.b` is required']);
  assert.deepEqual(wrong({ properties: { toString: { type: 'integer' } } }, {}), []);
});

test('unions tell about the option that was meant', () => {
  assert.deepEqual(wrong(serdeEnums.external, { Circle: { radius: 'x' } }), ['`a.Circle.radius` must be a number']);
  assert.deepEqual(wrong(serdeEnums.external, 'Round'), ['`a` must be Empty or Full']);
  assert.deepEqual(wrong(serdeEnums.internal, { kind: 'circle' }), ['`a.radius` is required']);
  assert.deepEqual(wrong(serdeEnums.adjacent, { t: 'Text', c: 1 }), ['`a.c` must be text']);
  assert.deepEqual(wrong(serdeEnums.untagged, true), ['`a` must be whole number, text or radius']);
  assert.deepEqual(wrong({ oneOf: [{ const: 'a' }, { const: 'b', title: 'Bee' }] }, 'c'), ['`a` must be a or b']);
  assert.deepEqual(wrong({ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }, 'c'), ['`a` must be a, b or null']);
  assert.deepEqual(wrong({ properties: { speed: { type: 'integer' } }, required: ['speed'], ...serdeEnums.internal }, { kind: 'empty' }), ['`a.speed` is required']);
  const closed = { ...serdeEnums.internal, oneOf: serdeEnums.internal.oneOf.map((option) => ({ ...option, additionalProperties: false })), properties: { speed: {} } };
  assert.deepEqual(wrong(closed, { kind: 'empty', speed: 1 }), [], 'fields beside closed options are known to them');
});

test('conditions', () => {
  assert.deepEqual(wrong({ not: { enum: [0, 1] } }, 1), ['`a` is not allowed to be this']);
  const conditional = { properties: { on: { type: 'boolean' }, level: {} }, if: { properties: { on: { const: true } } }, then: { required: ['level'] } };
  assert.deepEqual(wrong(conditional, { on: true }), ['`a.level` is required']);
  assert.deepEqual(wrong(conditional, { on: false }), []);
  assert.deepEqual(wrong({ allOf: [{ pattern: 'a' }, { pattern: 'b' }] }, 'a'), ['`a` must match the pattern b']);
  assert.deepEqual(wrong({ properties: { b: {}, c: {} }, anyOf: [{ required: ['b'] }, { required: ['c'] }] }, {}), ['`a.b` is required']);
  assert.deepEqual(wrong({ const: { deep: [1] } }, { deep: [1.0] }), []);
});

test('endless schemas and deep values end', () => {
  const endless = { $ref: '#' };
  assert.deepEqual(messages(endless, 1), []);
  const tree = { $defs: { Tree: objectWith({ next: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] } }) }, $ref: '#/$defs/Tree' };
  let value = null;
  for (let depth = 0; depth < 30; depth += 1) value = { next: value };
  assert.deepEqual(messages(tree, value), []);
});
