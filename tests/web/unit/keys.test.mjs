import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyReader, isTypingTarget } from '../../../crates/openenv/src/server/web/page/part/keys.js';

const somewhere = { closest: () => null };
const field = { closest: (what) => (what.includes('input') ? { type: 'text' } : null) };
const press = (key, more = {}) => ({ key, target: somewhere, timeStamp: 1000, ...more });

test('a key means itself, after g a place', () => {
  const reader = new KeyReader();
  assert.equal(reader.read(press('j')), 'j');
  assert.equal(reader.read(press('g')), null);
  assert.equal(reader.read(press('e', { timeStamp: 1500 })), 'g e');
  assert.equal(reader.read(press('e', { timeStamp: 1600 })), 'e');
});

test('a g that was long ago is forgotten', () => {
  const reader = new KeyReader();
  reader.read(press('g'));
  assert.equal(reader.read(press('e', { timeStamp: 9000 })), 'e');
});

test('what is typed into a field is not for the page, but the key that runs is', () => {
  const reader = new KeyReader();
  assert.equal(isTypingTarget(field), true);
  assert.equal(reader.read(press('r', { target: field })), null);
  assert.equal(reader.read(press('Enter', { target: field, ctrlKey: true })), 'mod+Enter');
  assert.equal(reader.read(press('Enter', { target: field, metaKey: true })), 'mod+Enter');
});

test('shortcuts of the browser stay those of the browser', () => {
  const reader = new KeyReader();
  assert.equal(reader.read(press('r', { ctrlKey: true })), null);
  assert.equal(reader.read(press('ArrowLeft', { altKey: true })), null);
  assert.equal(reader.read(press('j', { defaultPrevented: true })), null);
});

test('arrows belong to the list or tree that has the focus', () => {
  const reader = new KeyReader();
  const tree = { closest: (what) => (what.includes('[role=tree]') ? {} : null) };
  assert.equal(reader.read(press('ArrowDown', { target: tree })), null);
  assert.equal(reader.read(press('ArrowDown')), 'ArrowDown');
});
