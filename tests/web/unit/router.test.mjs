import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoute, routeHash, routeTab } from '../../../crates/openenv/src/server/web/page/part/router.js';

const places = [
  ['#/play', { view: 'play' }],
  ['#/tools', { view: 'tools' }],
  ['#/tools/search', { view: 'tools', tool: 'search' }],
  ['#/episode/ab12', { view: 'episode', key: 'ab12', step: null }],
  ['#/episode/ab12/0', { view: 'episode', key: 'ab12', step: 0 }],
  ['#/follow/ab12', { view: 'follow', key: 'ab12' }],
  ['#/compare/one/two', { view: 'compare', left: 'one', right: 'two' }],
  ['#/docs', { view: 'docs' }],
];

test('every place has an address that leads back to it', () => {
  for (const [hash, route] of places) {
    assert.deepEqual(parseRoute(hash), route);
    assert.equal(routeHash(route), hash);
  }
});

test('names with slashes and spaces survive', () => {
  const route = { view: 'episode', key: 'a/b c%', step: 12 };
  assert.deepEqual(parseRoute(routeHash(route)), route);
});

test('addresses that make no sense are none', () => {
  for (const hash of ['', '#', '#/nowhere', '#/episode', '#/episode/k/x', '#/compare/one', '#/play/more', '#/episode/%E0%A4%A']) {
    assert.equal(parseRoute(hash), null, hash);
  }
});

test('views without a tab of their own belong to one', () => {
  assert.equal(routeTab({ view: 'follow' }), 'sessions');
  assert.equal(routeTab({ view: 'compare' }), 'episodes');
  assert.equal(routeTab({ view: 'docs' }), 'docs');
});
