import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepDrafts } from '../../../crates/openenv/src/server/web/page/session/keeping.js';
import { createStore } from '../../../crates/openenv/src/server/web/page/session/store.js';

const about = (name, field) => ({ name, contract: { action: { type: 'object', properties: { [field]: {} } } } });
const written = () => new Promise((resolve) => setTimeout(resolve, 400));

function fakeStorage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

function open(storage, served) {
  const store = createStore();
  keepDrafts(store, storage, 'drafts');
  store.dispatch({ type: 'aboutLoaded', about: served });
  return store;
}

test('drafts come back after a reload, but without what is secret', async () => {
  const storage = fakeStorage();
  open(storage, about('a', 'x')).dispatch({ type: 'actionDrafted', action: { x: 1, api_key: 'hidden' } });
  await written();
  assert.deepEqual(open(storage, about('a', 'x')).get().drafts.action, { x: 1 });
});

test('drafts of another environment, or for other actions, are dropped', async () => {
  const storage = fakeStorage();
  open(storage, about('a', 'x')).dispatch({ type: 'actionDrafted', action: { x: 1 } });
  await written();
  assert.equal(open(storage, about('b', 'x')).get().drafts.action, undefined);
  assert.equal(open(storage, about('a', 'y')).get().drafts.action, undefined);

  const store = open(storage, about('a', 'x'));
  store.dispatch({ type: 'aboutLoaded', about: about('a', 'x') });
  assert.deepEqual(store.get().drafts.action, { x: 1 });
  store.dispatch({ type: 'aboutLoaded', about: about('a', 'z') });
  assert.equal(store.get().drafts.action, undefined);
  assert.equal(store.get().about.contract.action.properties.z !== undefined, true);
});
