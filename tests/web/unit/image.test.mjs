import assert from 'node:assert/strict';
import test from 'node:test';

import { ansiPieces, stripAnsi } from '../../../crates/openenv/src/server/web/page/episode/ansi.js';
import { imageOf, imageType } from '../../../crates/openenv/src/server/web/page/episode/image.js';
import { numericShape, searchTree, treeRows } from '../../../crates/openenv/src/server/web/page/episode/tree_model.js';

const base64 = (bytes, length = 80) => Buffer.concat([Buffer.from(bytes), Buffer.alloc(length)]).toString('base64');
const PNG = base64([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const WEBP = base64([...Buffer.from('RIFF'), 9, 1, 0, 0, ...Buffer.from('WEBP')]);
const WAVE = base64([...Buffer.from('RIFF'), 9, 1, 0, 0, ...Buffer.from('WAVE')]);
const NOISE = base64([1, 2, 3, 4, 5, 6, 7]);

test('data URLs of images', () => {
  const image = imageOf(`data:image/png;base64,${PNG}`, null);
  assert.equal(image.mediaType, 'image/png');
  assert.equal(imageOf('data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>', null).mediaType, 'image/svg+xml');
  assert.equal(imageOf(`data:text/html;base64,${NOISE}`, null), null);
});

test('base64 by its first bytes', () => {
  assert.equal(imageOf(PNG, {}).mediaType, 'image/png');
  assert.equal(imageOf(base64([0xff, 0xd8, 0xff, 0xe0]), null).mediaType, 'image/jpeg');
  assert.equal(imageOf(base64(Buffer.from('GIF89a')), null).mediaType, 'image/gif');
  assert.equal(imageOf(WEBP, null).mediaType, 'image/webp');
  assert.equal(imageOf(WAVE, null), null);
  assert.equal(imageOf(NOISE, null), null);
});

test('base64 that a neighbour calls an image', () => {
  assert.equal(imageOf(NOISE, { mime_type: 'image/jpeg' }).src.slice(0, 23), 'data:image/jpeg;base64,');
  assert.equal(imageOf(NOISE, { format: 'PNG' }).mediaType, 'image/png');
  assert.equal(imageOf(NOISE, { mimeType: 'audio/wav' }), null);
  assert.equal(imageOf('a caption of the picture, in words that are long enough', { format: 'png' }), null);
});

test('content of MCP and of messages', () => {
  assert.equal(imageOf({ type: 'image', data: PNG, mimeType: 'image/png' }, null).mediaType, 'image/png');
  assert.equal(imageOf({ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: NOISE } }, null).mediaType, 'image/webp');
  assert.equal(imageOf({ type: 'text', text: 'x' }, null), null);
});

test('addresses on the network are not images: nothing is loaded by itself', () => {
  assert.equal(imageOf('https://example.com/a-rather-long-name-of-a-file.png', { mime_type: 'image/png' }), null);
});

test('url-safe base64 becomes plain', () => {
  const url = PNG.replaceAll('+', '-').replaceAll('/', '_');
  assert.equal(imageOf(url, {}).src, `data:image/png;base64,${PNG}`);
});

test('names of types', () => {
  assert.deepEqual(['jpg', 'image/JPEG', '.svg', 'rgb', null].map(imageType), ['image/jpeg', 'image/jpeg', 'image/svg+xml', null, null]);
});

test('shapes of numbers', () => {
  assert.deepEqual(numericShape([[1, 2, 3], [4, 5, 6]]), [2, 3]);
  assert.equal(numericShape([[1, 2], [3]]), null);
  assert.equal(numericShape([1, 'a']), null);
  assert.equal(numericShape([]), null);
});

test('terminal colours, and what is no colour', () => {
  const pieces = ansiPieces('\u001b[1;31mred\u001b[0m plain\u001b[2K\u001b[38;5;208mo\u001b[38;2;1;2;3mt\u001b]0;title\u0007');
  assert.deepEqual(pieces.map((piece) => [piece.text, piece.look.color]), [['red', 1], [' plain', undefined], ['o', 'rgb(255,135,0)'], ['t', 'rgb(1,2,3)']]);
  assert.equal(pieces[0].look.bold, true);
  assert.equal(stripAnsi('\u001b[32mok\u001b[0m'), 'ok');
});

test('trees show long lists in parts, and a search gets anywhere', () => {
  const value = { list: Array.from({ length: 1_000 }, (_, index) => ({ name: `item ${index}` })) };
  const state = { open: new Map([['/list', true]]), limits: new Map(), forced: new Set() };
  const rows = treeRows(value, state);
  assert.equal(rows.at(-1).rest, 900);
  const found = searchTree(value, 'ITEM 777');
  assert.deepEqual(found.matches, ['/list/777/name']);
  assert.ok(found.forced.has('/list/777'));
  assert.equal(found.reach.get('/list'), 778);
});
