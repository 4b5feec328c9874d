import assert from 'node:assert/strict';
import test from 'node:test';

import { importEpisodes } from '../../../crates/openenv/src/server/web/page/episode/import.js';
import { stepDone, stepError, stepReward, stepTitle } from '../../../crates/openenv/src/server/web/page/episode/episode.js';

const lines = (...values) => values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');
const step = (n, reward) => ({ n, kind: n === 0 ? 'reset' : 'step', request: {}, reply: { observation: {}, reward, done: n === 2 } });

test('several episodes in one file, and what the file leaves out is counted', () => {
  const text = lines({ openenv_episode: 1, episode_id: 'a' }, step(0, null), step(1, 1), step(2, 0.5), '', { openenv_episode: 1, episode_id: 'b', return: 9 }, step(0, null));
  const episodes = importEpisodes(`\ufeff${text}\r\n`);
  assert.deepEqual(episodes.problems, []);
  assert.deepEqual(episodes.map((episode) => [episode.episode_id, episode.steps.length, episode.return, episode.done]), [['a', 3, 1.5, true], ['b', 1, 9, false]]);
  assert.notEqual(episodes[0].key, episodes[1].key);
});

test('broken lines are reported by number, the rest is there', () => {
  const episodes = importEpisodes(lines(step(0, 1), '{"openenv_episode": 1', { openenv_episode: 1 }, step(0, 1), 'nonsense', '42', step(1, 2)));
  assert.deepEqual(episodes.problems.map((problem) => problem.line), [1, 2, 5, 6]);
  assert.match(episodes.problems[1].message, /^line 2 is not JSON/);
  assert.equal(episodes[0].steps.length, 2);
});

test('records of `collect` with a trace of tools', () => {
  const record = {
    episode_id: 'openspiel-000003',
    messages: [{ role: 'user', content: 'play' }, { role: 'assistant', content: '', tool_calls: [] }],
    reward: 1,
    done: true,
    tool_trace: [
      { tool_name: 'move', arguments: { cell: 4 }, result: { data: { board: 'x' }, done: false, metadata: { reward: 0 }, error: null } },
      { tool_name: 'move', arguments: { cell: 4 }, result: { data: null, done: false, metadata: {}, error: 'taken' } },
      { tool_name: 'move', arguments: { cell: 0 }, result: { data: { board: 'xx' }, done: true, metadata: { reward: 1 }, error: null } },
    ],
    metrics: { turns: 3 },
    verify_metrics: {},
    artifacts: {},
    task: { id: 5 },
    extra: {},
  };
  const [episode] = importEpisodes(lines(record));
  assert.deepEqual(episode.steps.map((one) => one.n), [0, 1, 2, 3]);
  assert.deepEqual(episode.steps.map((one) => stepTitle(one)), ['reset(task={"id":5})', 'move(cell=4)', 'move(cell=4)', 'move(cell=0)']);
  assert.equal(stepError(episode.steps[2]).message, 'taken');
  assert.equal(stepReward(episode.steps[3]), 1);
  assert.equal(stepDone(episode.steps[3]), true);
  assert.deepEqual([episode.return, episode.errors, episode.record.metrics], [1, 1, { turns: 3 }]);
  assert.equal(episode.steps[0].reply.observation.messages.length, 2);
});

test('records without a trace are read from their messages', () => {
  const record = {
    episode_id: 'r',
    reward: 0.25,
    done: true,
    messages: [
      { role: 'system', content: 'rules' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":"door"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'a door' },
      { role: 'assistant', content: 'it is a door' },
    ],
  };
  const [episode] = importEpisodes(lines(record));
  assert.deepEqual(episode.steps.map((one) => stepTitle(one)), ['reset()', 'look(at="door")', 'step(message="it is a door")']);
  assert.equal(episode.steps[1].reply.data, 'a door');
  assert.equal(stepReward(episode.steps[2]), 0.25);
});

test('a file of a newer version is shown, with a warning', () => {
  const episodes = importEpisodes(lines({ openenv_episode: 2, episode_id: 'n' }, step(0, 1)));
  assert.equal(episodes.length, 1);
  assert.match(episodes.problems[0].message, /newer version/);
});
