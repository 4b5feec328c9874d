import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createStore, movedSelection, selectedStep, stepsTaken, withSteps,
} from '../../../crates/openenv/src/server/web/page/session/store.js';
import { stepIndex } from '../../../crates/openenv/src/server/web/page/episode/episode.js';

const step = (n, more = {}) => ({ n, kind: n === 0 ? 'reset' : 'step', request: {}, reply: { observation: {}, reward: 1, done: false }, error: null, logs: [], ...more });
const emptyEpisode = { key: 'k', dropped: 0, length: 0, return: 0, done: false, errors: 0, steps: [] };

test('an episode adds up what its steps bring', () => {
  const failed = step(2, { reply: null, error: { message: 'no' } });
  const last = step(3, { reply: { observation: {}, reward: -0.5, done: true } });
  const episode = withSteps(emptyEpisode, [step(0), step(1), failed, last]);
  assert.equal(episode.length, 4);
  assert.equal(stepsTaken(episode), 3);
  assert.equal(episode.return, 1.5);
  assert.equal(episode.errors, 1);
  assert.equal(episode.done, true);
});

test('the oldest steps go, and are counted, beyond what a tab holds', () => {
  let episode = emptyEpisode;
  for (let n = 0; n < 5000; n += 1) {
    episode = withSteps(episode, [step(n)]);
    assert.ok(episode.steps.length <= 2000);
  }
  assert.equal(episode.length, 5000);
  assert.equal(episode.dropped + episode.steps.length, 5000);
  assert.equal(episode.steps[0].n, episode.dropped);
  assert.equal(episode.return, 5000);
});

test('a step is found by its position, or the one before a gap', () => {
  const steps = [step(3), step(4), step(9)];
  assert.equal(stepIndex(steps, 9), 2);
  assert.equal(stepIndex(steps, 6), 1);
  assert.equal(stepIndex(steps, 1), -1);
  assert.equal(selectedStep({ steps }, 1).n, 3);
  assert.equal(selectedStep({ steps }, null).n, 9);
  assert.equal(selectedStep(null, null), null);
});

test('moving to the end means to follow the newest', () => {
  const episode = { steps: [step(0), step(1), step(2)] };
  assert.equal(movedSelection(episode, null, -1), 1);
  assert.equal(movedSelection(episode, 1, 1), null);
  assert.equal(movedSelection(episode, 0, -1), 0);
  assert.equal(movedSelection(null, null, 1), null);
});

test('a new step is shown at once, also when an earlier one was looked at', () => {
  const store = createStore();
  store.dispatch({ type: 'episodeBegan', episode: emptyEpisode });
  store.dispatch({ type: 'stepAdded', step: step(0) });
  store.dispatch({ type: 'stepAdded', step: step(1) });
  store.dispatch({ type: 'selected', n: 0 });
  store.dispatch({ type: 'stepAdded', step: step(2) });
  assert.equal(store.get().selected, null);
  store.dispatch({ type: 'stepCompleted', n: 1, part: { state: { a: 1 } } });
  assert.deepEqual(store.get().own.steps[1].state, { a: 1 });
});

test('recent actions are newest first and without repetition', () => {
  const store = createStore();
  for (const move of [1, 2, 1]) store.dispatch({ type: 'actionRun', action: { move } });
  assert.deepEqual(store.get().recentActions, [{ move: 1 }, { move: 2 }]);
});

test('listeners hear of changes only', () => {
  const store = createStore();
  let heard = 0;
  const stop = store.subscribe(() => { heard += 1; });
  store.dispatch({ type: 'sessionOver' });
  assert.equal(heard, 0);
  store.dispatch({ type: 'themeChosen', theme: 'dark' });
  stop();
  store.dispatch({ type: 'themeChosen', theme: 'light' });
  assert.equal(heard, 1);
  assert.throws(() => store.dispatch({ type: 'nonsense' }), /nonsense/);
});
