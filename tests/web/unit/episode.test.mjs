import assert from 'node:assert/strict';
import test from 'node:test';

import {
  cumulativeReturns,
  episodeFromServer,
  episodeReturn,
  indexOfStep,
  maskSecrets,
  stepDone,
  stepError,
  stepFromServer,
  stepReward,
  stepTitle,
  stepTruncated,
} from '../../../crates/openenv/src/server/web/page/episode/episode.js';
import { clockText, durationText, numberText, signedText } from '../../../crates/openenv/src/server/web/page/episode/format.js';
import { rewardBuckets, rewardSummary } from '../../../crates/openenv/src/server/web/page/episode/reward_series.js';
import { timelineRows } from '../../../crates/openenv/src/server/web/page/episode/timeline_rows.js';

const step = (n, reward, more = {}) =>
  stepFromServer({ n, kind: n === 0 ? 'reset' : 'step', request: { message: `m${n}` }, reply: { observation: {}, reward, done: false }, ...more });

test('a reward is a number, `true` counts, everything else is none', () => {
  assert.equal(stepReward(step(1, 0.5)), 0.5);
  assert.equal(stepReward(step(1, true)), 1);
  assert.equal(stepReward(step(1, null)), null);
  assert.equal(stepReward(step(1, 'high')), null);
  assert.equal(stepReward({ kind: 'step', reply: null }), null);
  assert.equal(stepReward(undefined), null);
});

test('done and truncated', () => {
  const over = step(3, 1, { reply: { observation: {}, reward: 1, done: true, metadata: { truncated: true } } });
  assert.equal(stepDone(over), true);
  assert.equal(stepTruncated(over), true);
  assert.equal(stepDone(step(1, 0)), false);
});

test('titles read like calls', () => {
  assert.equal(stepTitle({ kind: 'reset', request: { seed: 7 } }), 'reset(seed=7)');
  assert.equal(stepTitle({ kind: 'reset', request: {} }), 'reset()');
  assert.equal(stepTitle({ kind: 'step', request: { message: 'hi', metadata: {} } }), 'step(message="hi")');
  assert.equal(stepTitle({ kind: 'tool', request: { name: 'search', arguments: { query: 'a', limit: 3 } } }), 'search(query="a", limit=3)');
  assert.equal(stepTitle({ kind: 'step', request: { type: 'call_tool', tool_name: 'add', arguments: { a: 1 } } }), 'add(a=1)');
  assert.equal(stepTitle({ kind: 'step', request: [1, 2] }), 'step([1, 2])');
  assert.ok(stepTitle({ kind: 'step', request: { text: 'x'.repeat(500), more: 'y'.repeat(500) } }).length <= 96);
});

test('secrets are not in titles, however deep', () => {
  const title = stepTitle({ kind: 'step', request: { api_key: 'sk-1', login: { password: 'hunter2' }, github_token: 't' } });
  assert.doesNotMatch(title, /sk-1|hunter2|"t"/);
  assert.deepEqual(maskSecrets({ a: [{ client_secret: 'x', b: 1 }], token: '' }), { a: [{ client_secret: '••••', b: 1 }], token: '' });
});

test('errors of the server, of tools and of tool observations', () => {
  assert.equal(stepError(step(1, 1)), null);
  assert.equal(stepError(step(1, null, { reply: null, error: { message: 'no', code: 'X' } })).message, 'no');
  assert.equal(stepError({ kind: 'tool', reply: { content: [{ type: 'text', text: 'empty query' }], isError: true } }).message, 'empty query');
  const observed = { kind: 'step', reply: { observation: { tool_name: 'a', result: null, error: { error_type: 'tool_not_found', message: 'no such tool' } } } };
  assert.deepEqual(stepError(observed), { message: 'no such tool', code: 'tool_not_found' });
  assert.equal(stepError({ kind: 'step', reply: { observation: { error: 'part of the observation' } } }), null);
});

test('the return is the sum of the rewards that there are', () => {
  assert.equal(episodeReturn([step(0, null), step(1, 1), step(2, -0.5)]), 0.5);
});

test('returns are counted from the front where nothing is missing', () => {
  const episode = episodeFromServer({ key: 'k', return: 3, length: 3 }, [step(0, null), step(1, 1), step(2, 2)]);
  assert.deepEqual(cumulativeReturns(episode), [0, 1, 3]);
});

test('returns are counted from the end where steps were dropped', () => {
  const episode = episodeFromServer({ key: 'k', return: 10, length: 12, dropped: 9 }, [step(9, 1), step(10, 1), step(11, 2)]);
  assert.deepEqual(cumulativeReturns(episode), [7, 8, 10]);
});

test('returns on both sides of a gap, and none where they cannot be known', () => {
  const gap = episodeFromServer({ key: 'k', return: 9, length: 7 }, [step(0, null), step(1, 1), step(5, 2), step(6, 3)]);
  assert.deepEqual(cumulativeReturns(gap), [0, 1, 6, 9]);
  const behind = episodeFromServer({ key: 'k', return: 9, length: 50, dropped: 4 }, [step(5, 1)]);
  assert.deepEqual(cumulativeReturns(behind), [null]);
});

test('a step of the server has everything that views count on', () => {
  const bare = stepFromServer({ n: 3 });
  assert.deepEqual([bare.n, bare.kind, bare.reply, bare.error, bare.logs, bare.request], [3, 'step', null, null, [], {}]);
  assert.equal(stepFromServer(null).n, 0);
});

test('steps are found by their number, gaps or not', () => {
  const steps = [step(0, 0), step(4, 0), step(9, 0)];
  assert.deepEqual([0, 4, 9, 5].map((n) => indexOfStep(steps, n)), [0, 1, 2, -1]);
});

test('numbers are short and keep their sign', () => {
  assert.equal(numberText(0.1 + 0.2), '0.3');
  assert.equal(signedText(1), '+1');
  assert.equal(signedText(-0.25), '\u22120.25');
  assert.equal(numberText(null), '–');
  assert.equal(numberText(1e-7), '1.00e-7');
  assert.equal(durationText(0.5), '0.50 ms');
  assert.equal(durationText(1500), '1.50 s');
  assert.equal(durationText(61_000), '1 min 1 s');
  assert.equal(clockText(6.01), '00:06.010');
  assert.equal(clockText(3725.5), '1:02:05.500');
});

test('plots of long episodes have few bars, and lose no extreme', () => {
  const steps = Array.from({ length: 10_000 }, (_, n) => step(n, n === 5_000 ? -7 : n === 6_001 ? 9 : 0.1));
  const buckets = rewardBuckets(steps, null, 300);
  assert.ok(buckets.length <= 300);
  assert.equal(Math.min(...buckets.map((bucket) => bucket.low)), -7);
  assert.equal(Math.max(...buckets.map((bucket) => bucket.high)), 9);
  assert.equal(buckets.at(-1).to, 9_999);
  assert.deepEqual(rewardSummary([step(0, null)]), { count: 0, low: null, high: null, total: 0 });
});

test('the timeline tells of steps that are gone and not shown', () => {
  const episode = episodeFromServer({ dropped: 2 }, [step(2, 1), step(3, 0), step(10, 0, { reply: null, error: { message: 'broken pipe' } })]);
  assert.deepEqual(timelineRows(episode, {}).map((row) => [row.kind, row.count ?? row.index]), [['dropped', 2], ['step', 0], ['step', 1], ['gap', 6], ['step', 2]]);
  assert.deepEqual(timelineRows(episode, { errorsOnly: true }).map((row) => row.index), [2]);
  assert.deepEqual(timelineRows(episode, { rewardOnly: true }).map((row) => row.index), [0]);
  assert.deepEqual(timelineRows(episode, { text: 'BROKEN' }).map((row) => row.index), [2]);
  assert.deepEqual(timelineRows(episode, { text: '/m[23]"/' }).map((row) => row.index), [0, 1]);
  assert.deepEqual(timelineRows(episode, { text: '/(/' }), []);
});
