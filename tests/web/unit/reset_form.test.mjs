import test from 'node:test';
import assert from 'node:assert/strict';

import { resetArguments } from '../../../crates/openenv/src/server/web/page/form/reset_form.js';

test('what is empty is not sent', () => {
  assert.deepEqual(resetArguments({ seed: '', episode_id: ' ', extra: '' }), { data: {}, errors: [] });
  assert.deepEqual(resetArguments(undefined), { data: {}, errors: [] });
});

test('everything at once', () => {
  const { data, errors } = resetArguments({ seed: '42', episode_id: 'mine', extra: '{"difficulty": "easy"}', split: 'train', index: '7' });
  assert.deepEqual(data, { seed: 42, episode_id: 'mine', difficulty: 'easy', split: 'train', index: 7 });
  assert.deepEqual(errors, []);
});

test('mistakes name their field', () => {
  const told = (value) => resetArguments(value).errors.map(({ path, message }) => [path[0], message]);
  assert.deepEqual(told({ seed: '-1' }), [['seed', '`seed` must be a whole number, 0 or above']]);
  assert.deepEqual(told({ seed: 'x' }), [['seed', '`seed` must be a whole number, 0 or above']]);
  assert.deepEqual(told({ extra: '[1]' }), [['extra', 'The other arguments must be a JSON object, such as {"difficulty": "easy"}']]);
  assert.match(told({ extra: '{"a": }' })[0][1], /^Line 1, column 7: A value is missing/);
  assert.match(told({ seed: '1', extra: '{"seed": 2}' })[0][1], /already set above/);
  assert.match(told({ episode_id: 'x'.repeat(256) })[0][1], /at most 255/);
  assert.deepEqual(told({ split: 'train', index: '1.5' }), [['index', '`index` must be a whole number, 0 or above']]);
});

test('a number of a task without a split is not sent', () => {
  assert.deepEqual(resetArguments({ index: '3' }).data, {});
});
