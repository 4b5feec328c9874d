import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from '../../../crates/openenv/src/server/web/page/session/store.js';
import { ConnectionLost } from '../../../crates/openenv/src/server/web/page/session/connection.js';
import { OwnSession, fetchEpisode, outcome } from '../../../crates/openenv/src/server/web/page/session/own_session.js';

// Counts up; an action `fail` fails. Answers as a server that records what happens.
function fakeSession({ slowView = 0 } = {}) {
  let episode = 0;
  let n = -1;
  let lost = false;
  const sent = [];
  const connection = {
    sent,
    lose() { lost = true; },
    async call(frame) {
      if (lost) throw new ConnectionLost('The connection was lost before the answer came.');
      sent.push(frame);
      let reply;
      if (frame.type === 'reset') {
        episode += 1;
        n = 0;
        reply = { type: 'observation', data: { observation: { count: 0 }, reward: null, done: false } };
      } else if (frame.type === 'step') {
        n += 1;
        reply = frame.data.fail
          ? { type: 'error', data: { message: 'It failed', code: 'EXECUTION_ERROR' } }
          : { type: 'observation', data: { observation: { count: n }, reward: 1, done: n >= 3 } };
      } else if (frame.type === 'mcp') {
        n += 1;
        const { id, method, params } = frame.data;
        const data = { jsonrpc: '2.0', id };
        if (method === 'tools/list') data.result = { tools: [{ name: 'look' }] };
        else if (params.name === 'look') data.result = { data: 'a tree' };
        else data.error = { code: -32601, message: 'no such tool' };
        reply = { type: 'mcp', data };
      } else if (frame.type === 'state') {
        reply = { type: 'state', data: { episode_id: `episode-${episode}`, step_count: n } };
      } else {
        if (slowView) await new Promise((resolve) => setTimeout(resolve, slowView));
        reply = { type: 'view', data: { episode: `key-${episode}`, step: n, rendering: { kind: 'text', content: `${n}` }, suggested_actions: [{ label: 'go', action: {} }], logs: [] } };
      }
      return { reply, sent: JSON.stringify(frame), received: JSON.stringify(reply), ms: 1 };
    },
  };
  const store = createStore();
  let kept = null;
  const memory = { get: () => kept, set: (key) => { kept = key; } };
  const session = new OwnSession({ connection, store, pageUrl: 'http://host/web/', fetch: null, memory });
  return { connection, store, session, memory };
}

test('the first step resets, and the reset is a step like any other', async () => {
  const { connection, store, session, memory } = fakeSession();
  await session.step({ go: 1 }, { seed: 7 });
  const { own, recentActions, running } = store.get();
  assert.deepEqual(own.steps.map(({ kind, n }) => [kind, n]), [['reset', 0], ['step', 1]]);
  assert.deepEqual(own.steps[0].request, { seed: 7 });
  assert.equal(own.key, 'key-1');
  assert.equal(own.episode_id, 'episode-1');
  assert.equal(memory.get(), 'key-1');
  assert.equal(own.steps[1].rendering.content, '1');
  assert.deepEqual(own.steps[1].state, { episode_id: 'episode-1', step_count: 1 });
  assert.equal(own.steps[1].suggested_actions.length, 1);
  assert.deepEqual(recentActions, [{ go: 1 }]);
  assert.equal(running, null);
  assert.deepEqual(connection.sent.map(({ type }) => type), ['reset', 'state', 'view', 'step', 'state', 'view']);
});

test('a failure is a step of the episode, which goes on', async () => {
  const { store, session } = fakeSession();
  await session.step({ fail: true });
  await session.step({});
  const { own } = store.get();
  assert.equal(own.steps[1].error.message, 'It failed');
  assert.equal(own.errors, 1);
  assert.equal(own.steps.length, 3);
  assert.equal(own.return, 1);
});

test('an episode that is over can be stepped on; a reset begins another', async () => {
  const { store, session } = fakeSession();
  for (let count = 0; count < 4; count += 1) await session.step({});
  assert.equal(store.get().own.done, true);
  assert.equal(store.get().own.steps.length, 5);
  await session.reset({});
  assert.equal(store.get().own.key, 'key-2');
  assert.equal(store.get().own.steps.length, 1);
});

test('an environment that is slow to draw does not hold up the result', async () => {
  const { store, session } = fakeSession({ slowView: 150 });
  await session.reset({});
  assert.equal(store.get().own.steps[0].rendering, undefined);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(store.get().own.steps[0].rendering.content, '0');
  assert.equal(store.get().own.key, 'key-1');
});

test('a lost connection is said in the timeline', async () => {
  const { connection, store, session } = fakeSession();
  await session.reset({});
  connection.lose();
  const step = await session.step({});
  assert.equal(step.error.code, 'CONNECTION_LOST');
  assert.equal(store.get().own.steps.length, 2);
  assert.equal(store.get().running, null);
});

test('after the session was lost, the next step starts over', async () => {
  const { store, session } = fakeSession();
  await session.reset({});
  store.dispatch({ type: 'sessionOver' });
  assert.equal(session.needsReset, true);
  await session.step({});
  assert.equal(store.get().own.key, 'key-2');
  assert.deepEqual(store.get().own.steps.map(({ kind }) => kind), ['reset', 'step']);
});

test('tools are called without a reset, and their messages are kept', async () => {
  const { store, session } = fakeSession();
  await session.callTool('look', { where: 'up' });
  const missing = await session.callTool('fly', {});
  await session.listTools();
  const { own, exchanges, tools } = store.get();
  assert.deepEqual(own.steps.map(({ kind }) => kind), ['tool', 'tool']);
  assert.deepEqual(own.steps[0].request, { name: 'look', arguments: { where: 'up' } });
  assert.equal(missing.error.code, -32601);
  assert.deepEqual(exchanges.map(({ method, failed }) => [method, failed]), [['tools/list', false], ['tools/call', true], ['tools/call', false]]);
  assert.deepEqual(tools, [{ name: 'look' }]);
});

test('a second call waits for no queue: it is not made while one runs', async () => {
  const { store, session } = fakeSession();
  const [first, second] = await Promise.all([session.reset({}), session.reset({})]);
  assert.equal(first.kind, 'reset');
  assert.equal(second, null);
  assert.equal(store.get().own.steps.length, 1);
});

test('an episode is done again as it was', async () => {
  const { store, session } = fakeSession();
  await session.step({ go: 1 }, { seed: 3 });
  await session.callTool('look', {});
  const { own } = store.get();
  const { made, problem } = await session.replay(own);
  const again = store.get().own;
  assert.deepEqual([made.length, problem], [own.steps.length, null]);
  assert.notEqual(again.key, own.key);
  assert.deepEqual(again.steps.map(({ kind, request }) => [kind, request]), own.steps.map(({ kind, request }) => [kind, request]));
});

test('a replay lets nothing in between, and says how far it came', async () => {
  const { connection, store, session } = fakeSession();
  await session.step({ go: 1 });
  await session.step({ go: 2 });
  const { own } = store.get();
  const replaying = session.replay(own);
  assert.equal(await session.step({ go: 'between' }), null);
  await replaying;
  assert.equal(store.get().own.steps.length, 3);

  const steps = [...own.steps, ...own.steps.slice(1)];
  const stopListening = store.subscribe(() => store.get().own.steps.length === 2 && connection.lose());
  const { made, problem } = await session.replay({ ...own, steps });
  stopListening();
  assert.equal(made.length, 2);
  assert.match(problem, /connection was lost/);
});

test('a reload gets the episode from the server, page by page', async () => {
  const all = Array.from({ length: 2300 }, (_, n) => ({ n, kind: n === 0 ? 'reset' : 'step', request: {}, reply: { reward: 1, done: false } }));
  const asked = [];
  const fetch = async (url) => {
    asked.push(url.pathname + url.search);
    const from = Number(url.searchParams.get('from'));
    return { ok: true, status: 200, json: async () => ({ summary: { key: 'k', length: 2300, dropped: 0, return: 2300 }, steps: all.slice(from, from + 1000) }) };
  };
  const episode = await fetchEpisode(fetch, 'http://host/envs/a/web/', 'k');
  assert.equal(episode.steps.length, 2300);
  assert.equal(asked.length, 3);
  assert.match(asked[0], /^\/envs\/a\/web\/episodes\/k\?from=0/);
  await assert.rejects(fetchEpisode(async () => ({ ok: false, status: 404, json: async () => ({}) }), 'http://host/web/', 'x'), /no longer kept/);
});

test('replies that say nothing useful still make sense', () => {
  assert.deepEqual(outcome('step', { type: 'error' }).error, { message: 'The call failed.', code: null });
  assert.equal(outcome('tool', { type: 'mcp', data: { result: null } }).error, null);
  assert.equal(outcome('tool', { type: 'mcp', data: { error: { code: 1 } } }).error.message, 'The tool failed.');
});
