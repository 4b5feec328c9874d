import test from 'node:test';
import assert from 'node:assert/strict';

import { fieldId, problemsBelow } from '../../../crates/openenv/src/server/web/page/form/form_context.js';
import { readAnything, typeName } from '../../../crates/openenv/src/server/web/page/form/form_any.js';
import { fitsSegments, placeChoices } from '../../../crates/openenv/src/server/web/page/form/form_choice.js';
import { describeNode } from '../../../crates/openenv/src/server/web/page/schema/shape.js';

test('each place has an id of its own', () => {
  const places = [['a', 'b'], ['a-b'], ['a', ''], ['a', '', 'b'], ['a b'], ['a', 0], ['ab'], ['é'], ['è']];
  const ids = places.map((path) => fieldId('action', path));
  assert.equal(new Set(ids).size, places.length);
  for (const id of ids) assert.match(id, /^action-[\w-]+$/);
  assert.equal(fieldId('action', ['event', 'x']), 'action-event-x');
});

test('problems are counted below a place, not beside it', () => {
  const problems = new Map([['["a"]', ['1']], ['["a",0]', ['2', '3']], ['["ab"]', ['4']], ['[]', ['5']]]);
  assert.equal(problemsBelow(problems, ['a']), 3);
  assert.equal(problemsBelow(problems, ['a', 0]), 2);
  assert.equal(problemsBelow(problems, []), 5);
});

test('words are text, everything that is JSON is that', () => {
  const read = (text) => readAnything(text).value;
  assert.deepEqual(['hello there', '5', '"5"', 'true', 'null', '[1]', ''].map(read), ['hello there', 5, '5', true, null, [1], undefined]);
  assert.match(readAnything('{"a": ').error.message, /end of the text/);
  assert.deepEqual([1, 'x', null, [], {}, true, undefined].map(typeName), ['number', 'text', 'null', 'list', 'object', 'true or false', 'not set']);
});

test('a place can be left out or null only if the schema says so', () => {
  const labels = (schema, place) => placeChoices(describeNode(schema, schema), place).map(({ label }) => label);
  assert.deepEqual(labels({ type: 'boolean' }, { required: true, nullable: false }), ['true', 'false']);
  assert.deepEqual(labels({ type: 'boolean', default: false }, { required: false, nullable: true }), ['default (false)', 'true', 'false', 'null']);
  assert.deepEqual(labels({ enum: ['a', null] }, { required: false, nullable: true }), ['not set', 'a', 'null']);
  assert.equal(fitsSegments([{ label: 'north' }, { label: 'south' }]), true);
  assert.equal(fitsSegments(Array.from('abcdefgh', (label) => ({ label }))), false);
});
