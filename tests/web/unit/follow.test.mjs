import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withNews } from '../../../crates/openenv/src/server/web/page/session/followed.js';
import { RateMeter } from '../../../crates/openenv/src/server/web/page/session/rate_meter.js';

const step = (n, more = {}) => ({ n, kind: 'step', request: {}, reply: { reward: 1, done: false }, ...more });
const steps = (from, to) => Array.from({ length: to - from }, (_, at) => step(from + at));
const summary = (length, more = {}) => ({ key: 'a', session: 's', length, dropped: 0, return: length, done: false, errors: 0, live: true, ...more });
const nothing = { episode: null, phase: 'connecting', skipped: 0 };

test('news are added, and the memory stays bounded', () => {
  let followed = withNews(nothing, { summary: summary(500), steps: steps(0, 500), skipped: 0 });
  for (let at = 500; at < 10_000; at += 500) followed = withNews(followed, { summary: summary(at + 500), steps: steps(at, at + 500), skipped: 0 });
  assert.equal(followed.episode.steps.length, 2000);
  assert.equal(followed.episode.steps.at(-1).n, 9999);
  assert.equal(followed.episode.dropped, 8000);
  assert.equal(followed.episode.length, 10_000);
});

test('what was there before somebody looked did not go by too fast', () => {
  let followed = withNews(nothing, { summary: summary(900), steps: steps(400, 900), skipped: 400 });
  assert.equal(followed.skipped, 0);
  followed = withNews(followed, { summary: summary(1700), steps: steps(1200, 1700), skipped: 300 });
  assert.equal(followed.skipped, 300);
});

test('a step that comes again with its picture is the same step', () => {
  let followed = withNews(nothing, { summary: summary(2), steps: steps(0, 2), skipped: 0 });
  followed = withNews(followed, { summary: summary(3), steps: [step(1, { rendering: { kind: 'text', content: 'x' } }), step(2)], skipped: 0 });
  assert.deepEqual(followed.episode.steps.map(({ n }) => n), [0, 1, 2]);
  assert.equal(followed.episode.steps[1].rendering.content, 'x');
});

test('another episode of the session begins anew', () => {
  let followed = withNews(nothing, { summary: summary(5), steps: steps(0, 5), skipped: 0 });
  followed = withNews(followed, { summary: summary(1, { key: 'b' }), steps: steps(0, 1), skipped: 0 });
  assert.equal(followed.episode.key, 'b');
  assert.equal(followed.episode.steps.length, 1);
});

test('rates come from how far the counters moved', () => {
  const meter = new RateMeter();
  meter.measure([{ id: 'a', steps: 10, tool_calls: 0 }], 0);
  assert.equal(meter.rate('a'), null);
  meter.measure([{ id: 'a', steps: 40, tool_calls: 0 }, { id: 'b', steps: 5, tool_calls: 5 }], 2);
  assert.equal(meter.rate('a'), 15);
  meter.measure([{ id: 'b', steps: 7, tool_calls: 7 }], 3);
  assert.equal(meter.rate('a'), null);
  assert.equal(meter.rate('b'), 2);
});

test('the step that somebody looks at stays, and the one before it', () => {
  let followed = withNews(nothing, { summary: summary(500), steps: steps(0, 500), skipped: 0 });
  for (let at = 500; at < 10_000; at += 500) followed = withNews(followed, { summary: summary(at + 500), steps: steps(at, at + 500), skipped: 0 }, 42);
  assert.deepEqual(followed.episode.steps.slice(0, 3).map(({ n }) => n), [41, 42, 8000]);
  assert.equal(followed.episode.steps.length, 2002);
  followed = withNews(followed, { summary: summary(10_001), steps: steps(10_000, 10_001), skipped: 0 }, null);
  assert.equal(followed.episode.steps[0].n, 8001);
});
