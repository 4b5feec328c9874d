import assert from 'node:assert/strict';
import test from 'node:test';

import { compareEpisodes } from '../../../crates/openenv/src/server/web/page/episode/comparison.js';
import { diffValues, pathText, sameValue } from '../../../crates/openenv/src/server/web/page/episode/diff.js';
import { diffText } from '../../../crates/openenv/src/server/web/page/episode/text_diff.js';

const changes = (before, after, limits) => diffValues(before, after, limits).entries.map((entry) => [entry.kind, pathText(entry.path), entry.before, entry.after]);

test('equal values have no differences', () => {
  const value = { a: [1, { b: 'c' }], d: null };
  assert.deepEqual(diffValues(value, structuredClone(value)).entries, []);
  assert.deepEqual(diffValues(1, 1).entries, []);
});

test('added, removed and changed fields', () => {
  assert.deepEqual(changes({ a: 1, b: 2, same: [] }, { a: 3, c: null, same: [] }), [
    ['changed', 'a', 1, 3],
    ['added', 'c', undefined, null],
    ['removed', 'b', 2, undefined],
  ]);
});

test('a value of another type is changed as a whole', () => {
  assert.deepEqual(changes({ a: [1] }, { a: { 0: 1 } }), [['changed', 'a', [1], { 0: 1 }]]);
  assert.deepEqual(changes(null, 0), [['changed', '', null, 0]]);
});

test('a history that grew has one added item', () => {
  assert.deepEqual(changes({ h: ['a', 'b'] }, { h: ['a', 'b', 'c'] }), [['added', 'h[2]', undefined, 'c']]);
  assert.deepEqual(changes(['b', 'c'], ['a', 'b', 'c']), [['added', '[0]', undefined, 'a']]);
  assert.deepEqual(changes(['a', 'b', 'c'], ['a', 'c']), [['removed', '[1]', 'b', undefined]]);
});

test('a window that moved on lost its first item and has a new last one', () => {
  assert.deepEqual(changes(['a', 'b', 'c', 'd'], ['b', 'c', 'd', 'e']), [['removed', '[0]', 'a', undefined], ['added', '[3]', undefined, 'e']]);
});

test('items that were inserted do not make their neighbours differ', () => {
  const before = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const after = [{ id: 1 }, { id: 9 }, { id: 2 }, { id: 8 }, { id: 3 }];
  assert.deepEqual(changes(before, after).map(([kind, path]) => [kind, path]), [['added', '[1]'], ['added', '[3]']]);
});

test('one cell of a grid is one change, many are one for the grid', () => {
  const grid = Array.from({ length: 5 }, () => Array(5).fill(0));
  const one = structuredClone(grid);
  one[2][3] = 7;
  assert.deepEqual(changes({ grid }, { grid: one }), [['changed', 'grid[2][3]', 0, 7]]);
  const many = grid.map((row) => row.map(() => 1));
  const [entry] = diffValues({ grid }, { grid: many }).entries;
  assert.deepEqual([entry.changed, entry.total, entry.cells.length], [25, 25, 25]);
});

test('large values cost a bounded amount of work, and it is said', () => {
  const big = (salt) => Array.from({ length: 30_000 }, (_, index) => ({ index, salt: { text: `${salt}${index}` } }));
  const started = performance.now();
  const diff = diffValues(big('a'), big('b'));
  assert.equal(diff.complete, false);
  assert.ok(diff.entries.length <= 1_001);
  assert.ok(performance.now() - started < 2_000);
});

test('words of a line, lines of a text', () => {
  assert.deepEqual(diffText('the cat sat', 'the dog sat').parts, [
    { kind: 'same', text: 'the ' },
    { kind: 'removed', text: 'cat' },
    { kind: 'added', text: 'dog' },
    { kind: 'same', text: ' sat' },
  ]);
  const lines = diffText('a\nb\nc\n', 'a\nB\nc\nd');
  assert.equal(lines.unit, 'line');
  const side = (kind) => lines.parts.filter((part) => part.kind !== kind).map((part) => part.text).join('');
  assert.equal(side('added'), 'a\nb\nc\n');
  assert.equal(side('removed'), 'a\nB\nc\nd');
});

test('texts that are too long are not compared', () => {
  assert.equal(diffText('x'.repeat(300_000), 'y'.repeat(300_000)), null);
  const lines = (salt) => Array.from({ length: 5_000 }, (_, index) => `${salt}${index}`).join('\n');
  assert.equal(diffText(lines('a'), lines('b')), null);
});

test('colours of terminals are no difference of the text', () => {
  const [entry] = diffValues('\u001b[31mred\u001b[0m', '\u001b[32mred\u001b[0m').entries;
  assert.ok(entry.text.parts.every((part) => part.kind === 'same'));
});

test('equality does not depend on the order of keys', () => {
  assert.equal(sameValue({ a: 1, b: [2] }, { b: [2], a: 1 }), true);
  assert.equal(sameValue({ a: undefined }, { b: undefined }), false);
  assert.equal(sameValue([1], [1, 2]), false);
});

test('paths are as one would write them', () => {
  assert.equal(pathText(['board', 0, 'a b', 'c']), 'board[0]["a b"].c');
});

test('two episodes part where the first step differs', () => {
  const step = (n, message, reward) => ({ n, kind: 'step', request: { message }, reply: { observation: { message }, reward, done: false }, error: null });
  const left = { steps: [step(0, 'a', 0), step(1, 'b', 1), step(2, 'c', 1)], return: 2 };
  const right = { steps: [step(0, 'a', 0), step(1, 'b', 2)], return: 2 };
  const comparison = compareEpisodes(left, right);
  assert.equal(comparison.first, 1);
  assert.deepEqual(comparison.rows.map((row) => row.differs), [[], ['reward'], ['missing']]);
  assert.equal(compareEpisodes(left, left).first, -1);
});
