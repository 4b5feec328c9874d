import test from 'node:test';
import assert from 'node:assert/strict';

import { copyJson, exactNumberText, isExactNumber, numberFromText, parseJson, pathName, sameJson } from '../../../crates/openenv/src/server/web/page/schema/json_text.js';

test('reads what JSON.parse reads', () => {
  for (const text of ['{}', '[]', ' [1, -2.5e3, "a\\u00e9\\n\\"", true, false, null, {"b": {"c": []}}]\n', '"x"', '0', '{"": 1}', '"\u2028"']) {
    assert.deepEqual(parseJson(text).value, JSON.parse(text), text);
  }
});

test('says what is wrong, and where', () => {
  const told = [
    ['', 1, 1, /nothing here yet/], ['{"a": 1,}', 1, 9, /comma too many/], ['[1,\n 2,\n]', 3, 1, /comma too many/], ['{"a" 1}', 1, 6, /Expected `:`/], ["{'a': 1}", 1, 2, /double quotes/],
    ['{"a": True}', 1, 7, /`true`/], ['[1 2]', 1, 4, /Expected `,` or `]`/], ['{"a": "b}', 1, 7, /closing double quote/], ['{"a": hello}', 1, 7, /`hello` has none/], ['[1] x', 1, 5, /Nothing may follow/],
    ['{"a": 1, "a": 2}', 1, 10, /twice/], ['[01]', 1, 2, /not a number/], ['[NaN]', 1, 2, /no such number/], ['"\\x"', 1, 2, /means nothing/], ['{"a": ', 1, 7, /the end of the text/], ['[1e999]', 1, 2, /too large/],
  ];
  for (const [text, line, column, message] of told) {
    const { error } = parseJson(text);
    assert.match(error.message, message, text);
    assert.deepEqual([error.line, error.column], [line, column], text);
  }
});

test('text nested without end is refused', () => {
  assert.match(parseJson('['.repeat(200_000)).error.message, /too deeply/);
});

test('knows where each value is', () => {
  const { places } = parseJson('{"a": [1, {"b": 2}]}');
  assert.equal(places.get('["a",1,"b"]'), 16);
});

test('a field of any name is only a field', () => {
  const { value } = parseJson('{"__proto__": {"a": 1}}');
  assert.equal(value.a, undefined);
  assert.deepEqual(Object.keys(copyJson(value)), ['__proto__']);
});

test('numbers as somebody types them', () => {
  assert.deepEqual([' 5 ', '-0.5', '.5', '5.', '1e3', '007'].map(numberFromText), [5, -0.5, 0.5, 5, 1000, 7]);
  assert.deepEqual(['', '-', '5x', '1,5', 'Infinity', '0x10'].map(numberFromText), [undefined, undefined, undefined, undefined, undefined, undefined]);
});

test('whole numbers beyond 2^53 stay exact where the engine can', { skip: typeof JSON.rawJSON !== 'function' }, () => {
  const { value } = parseJson('{"a": 9007199254740993}');
  assert.equal(JSON.stringify(value), '{"a":9007199254740993}');
  assert.equal(isExactNumber(value.a), true);
  assert.equal(exactNumberText(copyJson(value).a), '9007199254740993');
});

test('equal as JSON', () => {
  assert.equal(sameJson({ a: 1, b: undefined }, { a: 1 }), true);
  assert.equal(sameJson({ a: [1, { b: null }] }, { a: [1, { b: null }] }), true);
  for (const [one, other] of [[1, '1'], [[], {}], [null, {}], [{ a: 1 }, { b: 1 }], [[1], [1, 2]], [undefined, null]]) assert.equal(sameJson(one, other), false);
});

test('places as people write them', () => {
  assert.equal(pathName([]), 'The value');
  assert.equal(pathName(['a', 0, 'b c', 'd']), '`a[0]["b c"].d`');
});
