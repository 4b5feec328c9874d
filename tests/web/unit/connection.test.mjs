import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection, ConnectionLost, claimWithLock } from '../../../crates/openenv/src/server/web/page/session/connection.js';
import { connectionText } from '../../../crates/openenv/src/server/web/page/session/connection_text.js';

// A server with sessions, as far as a connection can see it.
class FakeServer {
  constructor({ places = 10 } = {}) {
    this.sessions = new Set();
    this.places = places;
    this.sockets = [];
    this.urls = [];
    this.down = false;
    this.refusal = null;
    this.asked = 0;
    const server = this;
    this.Socket = class {
      readyState = 0;
      constructor(url) {
        server.sockets.push(this);
        server.urls.push(url);
        this.id = new URL(url).searchParams.get('session_id');
        setTimeout(() => {
          if (server.down) return this.end();
          this.readyState = 1;
          this.onopen?.();
        });
      }
      send(text) {
        const frame = JSON.parse(text);
        setTimeout(() => {
          if (this.readyState !== 1) return;
          if (!server.sessions.has(this.id)) {
            this.onmessage?.({ data: JSON.stringify({ type: 'error', data: { code: 'SESSION_ERROR', message: `Unknown session_id: ${this.id}` } }) });
            return this.end();
          }
          if (frame.type === 'hang') return undefined;
          return this.onmessage?.({ data: JSON.stringify({ type: frame.type, data: frame.data ?? { episode: null, step: null } }) });
        });
      }
      close() { this.end(); }
      end() {
        if (this.readyState === 3) return;
        this.readyState = 3;
        setTimeout(() => this.onclose?.());
      }
    };
  }

  fetch = async (url) => {
    if (this.down) throw new TypeError('no network');
    if (url.pathname.endsWith('/health')) return { text: async () => '' };
    this.asked += 1;
    if (this.refusal) return { status: 200, json: async () => ({ error: { code: -32603, message: this.refusal } }) };
    if (this.sessions.size >= this.places) return { json: async () => ({ error: { message: 'all 1 sessions are in use', data: { active_sessions: 1, max_sessions: 1 } } }) };
    const session_id = `session-${this.sessions.size + 1}-${Math.random()}`;
    this.sessions.add(session_id);
    return { json: async () => ({ result: { session_id } }) };
  };
}

function fakeStorage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

function connect(server, storage = fakeStorage(), more = {}) {
  const connection = new Connection({ pageUrl: 'http://host:8000/envs/a/web/', storageKey: 'session', storage, fetch: server.fetch, Socket: server.Socket, ...more });
  connection.need();
  return connection;
}

const until = (connection, phase) => new Promise((resolve) => {
  if (connection.status.phase === phase) return resolve();
  connection.addEventListener('status', function heard({ detail }) {
    if (detail.phase !== phase) return;
    connection.removeEventListener('status', heard);
    resolve();
  });
});

test('a session is created, attached to with a linger, and answers in order', async () => {
  const server = new FakeServer();
  const connection = connect(server);
  connection.start();
  await until(connection, 'open');
  const url = new URL(server.urls[0]);
  assert.equal(`${url.protocol}//${url.host}${url.pathname}`, 'ws://host:8000/envs/a/ws');
  assert.equal(url.searchParams.get('linger'), '10');
  const answers = await Promise.all([1, 2, 3].map((value) => connection.call({ type: 'step', data: { value } })));
  assert.deepEqual(answers.map(({ reply }) => reply.data.value), [1, 2, 3]);
  assert.equal(answers[0].sent, '{"type":"step","data":{"value":1}}');
  assert.ok(answers[0].ms >= 0);
  connection.stop();
});

test('a reload finds the session again', async () => {
  const server = new FakeServer();
  const storage = fakeStorage();
  const before = connect(server, storage);
  before.start();
  await until(before, 'open');
  const { session } = before.status;
  before.stop();
  const after = connect(server, storage);
  after.start();
  await until(after, 'open');
  assert.equal(after.status.session, session);
  assert.equal(server.sessions.size, 1);
  after.stop();
});

test('what is under way is rejected when the socket is lost, and the session is taken up again', async () => {
  const server = new FakeServer();
  const connection = connect(server);
  connection.start();
  await until(connection, 'open');
  const { session } = connection.status;
  const hanging = connection.call({ type: 'hang' });
  server.sockets.at(-1).end();
  await assert.rejects(hanging, ConnectionLost);
  await until(connection, 'open');
  assert.equal(connection.status.session, session);
  await connection.call({ type: 'state' });
  connection.stop();
});

test('a session that is gone is replaced, and that is said', async () => {
  const server = new FakeServer();
  const connection = connect(server);
  connection.start();
  await until(connection, 'open');
  const renewed = new Promise((resolve) => connection.addEventListener('renewed', ({ detail }) => resolve(detail)));
  server.sessions.clear();
  server.sockets.at(-1).end();
  assert.match((await renewed).reason, /Unknown session_id/);
  assert.equal(server.sessions.size, 1);
  connection.stop();
});

test('a hidden tab takes no new place', async () => {
  const server = new FakeServer();
  let visible = true;
  const connection = connect(server, fakeStorage(), { isVisible: () => visible });
  connection.start();
  await until(connection, 'open');
  visible = false;
  server.sessions.clear();
  server.sockets.at(-1).end();
  await until(connection, 'ended');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(server.sessions.size, 0);
  visible = true;
  connection.retryNow();
  await until(connection, 'open');
  connection.stop();
});

test('a full server is asked again', async () => {
  const server = new FakeServer({ places: 0 });
  const connection = connect(server);
  connection.start();
  await until(connection, 'full');
  assert.match(connection.status.message, /in use/);
  await assert.rejects(connection.call({ type: 'state' }), /in use/);
  server.places = 1;
  connection.retryNow();
  await until(connection, 'open');
  connection.stop();
});

test('a full server is not asked while nobody looks', async () => {
  const server = new FakeServer({ places: 0 });
  let visible = true;
  const connection = connect(server, fakeStorage(), { isVisible: () => visible });
  connection.start();
  await until(connection, 'full');
  visible = false;
  const { asked } = server;
  connection.retryNow();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(server.asked, asked);
  visible = true;
  server.places = 1;
  connection.retryNow();
  await until(connection, 'open');
  connection.stop();
});

test('who only looks takes no place until a session is needed', async () => {
  const server = new FakeServer();
  const connection = connect(server);
  connection.need(false);
  connection.start();
  await until(connection, 'idle');
  assert.equal(server.sessions.size, 0);
  assert.equal(await connection.opened(), true);
  assert.equal(server.sessions.size, 1);
  connection.need(false);
  await connection.call({ type: 'state' });
  server.sessions.clear();
  server.sockets.at(-1).end();
  await until(connection, 'idle');
  assert.equal(server.sessions.size, 0);
  connection.stop();
});

test('a session that cannot be made is not a server that is full', async () => {
  const server = new FakeServer();
  server.refusal = 'no module named numpy.';
  const connection = connect(server);
  connection.start();
  await until(connection, 'failed');
  assert.equal(connectionText(connection.status), 'No session: no module named numpy; the server’s log says why');
  assert.equal(await connection.opened(), false);
  server.refusal = null;
  await until(connection, 'open');
  connection.stop();
});

test('a server that is away is asked again', async () => {
  const server = new FakeServer();
  server.down = true;
  const connection = connect(server);
  connection.start();
  await until(connection, 'lost');
  server.down = false;
  await until(connection, 'open');
  connection.stop();
});

test('a network that is cut is noticed though the socket says nothing', async () => {
  const server = new FakeServer();
  const connection = connect(server);
  connection.start();
  await until(connection, 'open');
  const hanging = connection.call({ type: 'hang' });
  await connection.check();
  assert.equal(connection.status.phase, 'open');
  server.down = true;
  await connection.check();
  await assert.rejects(hanging, ConnectionLost);
  assert.equal(connection.status.phase, 'lost');
  server.down = false;
  connection.retryNow();
  await until(connection, 'open');
  assert.equal(server.sessions.size, 1);
  connection.stop();
});

test('a duplicated tab gets a session of its own', async () => {
  const server = new FakeServer();
  const storage = fakeStorage();
  const first = connect(server, storage);
  first.start();
  await until(first, 'open');
  const taken = first.status.session;
  const second = connect(server, storage, { claim: async (name) => (name.endsWith(taken) ? null : () => {}) });
  second.start();
  await until(second, 'open');
  assert.notEqual(second.status.session, taken);
  first.stop();
  second.stop();
});

test('a lock is had by one tab, and by the next after it', async () => {
  const locks = {
    held: false,
    async request(name, { signal }, work) {
      while (this.held) {
        if (signal.aborted) throw new Error('aborted');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      this.held = true;
      await work();
      this.held = false;
    },
  };
  const release = await claimWithLock('a', locks, 30);
  assert.equal(await claimWithLock('a', locks, 30), null);
  release();
  assert.equal(typeof (await claimWithLock('a', locks, 100)), 'function');
});
