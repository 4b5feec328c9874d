// The session that belongs to this tab. It is created over `../mcp` and used over a WebSocket which it
// outlives by some seconds, so that a reload, or a network that is away for a moment, finds it again.

const LINGER_SECONDS = 10;
const LONGEST_PAUSE_MS = 8000;
const PAUSE_WHEN_FULL_MS = 4000;
const ATTEMPTS_IF_ATTACHED = 4;
const CHECK_MS = 4000;
// What stands before a server says that it does not reach it.
const ANSWERS_OF_PROXIES = [502, 503, 504];

export class ConnectionLost extends Error {
  constructor(message) {
    super(message);
    this.name = 'ConnectionLost';
    this.code = 'CONNECTION_LOST';
  }
}

class SessionGone extends Error {}
class ServerFull extends Error {}
class SessionRefused extends Error {}

// Events: `status` when `status` changed, `attached` with what the session shows ({ view, fresh }),
// `renewed` when the session was lost for good and another one took its place.
export class Connection extends EventTarget {
  #pageUrl;
  #storageKey;
  #storage;
  #fetch;
  #Socket;
  #claim;
  #isVisible;
  #socket = null;
  #pending = [];
  #running = false;
  #isNeeded = false;
  #wake = null;
  #lastWords = null;
  #releaseClaim = null;
  #patience = ATTEMPTS_IF_ATTACHED;

  constructor({ pageUrl, storageKey, storage, fetch, Socket, claim = claimAlone, isVisible = () => true }) {
    super();
    this.#pageUrl = pageUrl;
    this.#storageKey = storageKey;
    this.#storage = storage;
    this.#fetch = fetch;
    this.#Socket = Socket;
    this.#claim = claim;
    this.#isVisible = isVisible;
    this.status = { phase: 'connecting', session: null, message: null };
  }

  // Takes up the session that the tab had. A new one is made while `need` says so: who only looks takes no place.
  start() {
    if (this.#running) return;
    this.#running = true;
    this.#keepAttached();
  }

  need(isNeeded = true) {
    this.#isNeeded = isNeeded;
    if (isNeeded && this.status.phase === 'idle') this.retryNow();
  }

  // Whether there is a session now; opens one for this.
  async opened() {
    this.need();
    while (this.#running && ['connecting', 'idle'].includes(this.status.phase)) {
      await new Promise((resolve) => this.addEventListener('status', resolve, { once: true }));
    }
    return this.status.phase === 'open';
  }

  stop() {
    this.#running = false;
    this.retryNow();
    this.#socket?.close();
  }

  // Ends a pause between two attempts: the network is back, or somebody pressed "Try again".
  retryNow() {
    this.#wake?.();
  }

  // Whether the server can still be reached. A network that is cut tells the socket nothing, for minutes.
  async check() {
    if (this.status.phase !== 'open') return;
    await this.#reach().catch(() => this.#abandon());
  }

  async #reach() {
    const answer = await this.#fetch(new URL('../health', this.#pageUrl), { signal: AbortSignal.timeout(CHECK_MS) });
    await answer.text?.();
  }

  // Does not wait for a closing handshake that would never come.
  #abandon() {
    const socket = this.#socket;
    const closed = socket?.onclose;
    if (!closed || this.status.phase !== 'open') return;
    socket.onclose = null;
    socket.onmessage = null;
    socket.close();
    closed();
  }

  // Sends a frame, as an object or as the exact text, and resolves with its reply. Frames may be sent
  // without waiting for the replies before them; replies come in the order of the frames.
  call(frame) {
    const sent = typeof frame === 'string' ? frame : JSON.stringify(frame);
    if (this.status.phase !== 'open') {
      return Promise.reject(new ConnectionLost(`Not sent: ${this.status.message ?? 'there is no connection yet'}.`));
    }
    return this.#send(sent);
  }

  #send(sent) {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject, sent, since: performance.now() });
      this.#socket.send(sent);
    });
  }

  async #keepAttached() {
    let failures = 0;
    let replaced = null;
    while (this.#running) {
      let id = this.#storage.getItem(this.#storageKey);
      const fresh = !id;
      if (fresh && !(this.#isNeeded && this.#isVisible())) {
        // A tab that nobody looks at, or that does nothing in a session, must not hold a place of a trainer.
        if (!this.#isNeeded && this.status.phase !== 'idle') this.#report('idle', 'there is no session yet', null);
        await this.#pause(60_000);
        continue;
      }
      if (this.status.phase === 'idle') this.#report('connecting', null, null);
      try {
        if (fresh) id = await this.#create();
        else if (this.status.phase === 'lost') await this.#reach();
        const view = await this.#attach(id, fresh);
        failures = 0;
        this.#storage.setItem(this.#storageKey, id);
        this.#report('open', null, id);
        this.#emit('attached', { view, fresh });
        if (replaced !== null) this.#emit('renewed', { reason: replaced });
        replaced = null;
        await this.#untilClosed();
        if (this.#running) this.#report('lost', 'the connection was lost, reconnecting', id);
      } catch (problem) {
        failures += 1;
        if (problem instanceof SessionGone) {
          this.#storage.removeItem(this.#storageKey);
          if (!fresh) replaced = this.#lastWords ?? problem.message;
          this.#report('ended', 'the session ended, opening another one', null);
          if (failures > 1) await this.#pause(this.#backoff(failures));
        } else if (problem instanceof ServerFull) {
          this.#report('full', problem.message, null);
          await this.#pause(PAUSE_WHEN_FULL_MS);
        } else if (problem instanceof SessionRefused) {
          this.#report('failed', problem.message, null);
          await this.#pause(this.#backoff(failures));
        } else {
          this.#report('lost', 'the server cannot be reached, trying again', fresh ? null : id);
          await this.#pause(this.#backoff(failures));
        }
      }
    }
    this.#releaseClaim?.();
  }

  async #create() {
    const answer = await this.#fetch(new URL('../mcp', this.#pageUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'openenv/session/create', params: {} }),
    });
    let reply;
    try {
      reply = await answer.json();
    } catch {
      const Problem = ANSWERS_OF_PROXIES.includes(answer.status) ? Error : SessionRefused;
      throw new Problem(`the server answered ${answer.status} to a new session`);
    }
    const id = reply?.result?.session_id;
    if (id) return id;
    const Problem = reply?.error?.data?.max_sessions === undefined ? SessionRefused : ServerFull;
    throw new Problem(reply?.error?.message ?? reply?.detail ?? `the server answered ${answer.status} to a new session`);
  }

  // Resolves once the session has answered, which tells an attached socket from one that is about to be refused.
  async #attach(id, fresh) {
    this.#releaseClaim?.();
    this.#releaseClaim = await this.#claim(`${this.#storageKey}:${id}`);
    if (!this.#releaseClaim) {
      // The tab was duplicated, and its storage with it: the session is that of the other one.
      this.#storage.removeItem(this.#storageKey);
      throw new Error('the session belongs to another tab');
    }
    this.#lastWords = null;
    const url = new URL('../ws', this.#pageUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.searchParams.set('session_id', id);
    url.searchParams.set('linger', LINGER_SECONDS);
    const socket = new this.#Socket(url.href);
    this.#socket = socket;
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onclose = () => reject(new Error('the connection was refused'));
    });
    socket.onmessage = (event) => this.#receive(event.data);
    socket.onclose = () => this.#rejectPending();
    const { reply } = await this.#send('{"type":"view"}');
    if (reply.type === 'error' && reply.data?.code === 'SESSION_ERROR') {
      socket.close();
      // The socket from before a reload may be there for another moment.
      if (/already has an attached/.test(reply.data.message) && this.#patience > 0) {
        this.#patience -= 1;
        throw new Error('the session is still attached elsewhere');
      }
      throw new SessionGone(reply.data.message ?? 'the session was not found');
    }
    this.#patience = ATTEMPTS_IF_ATTACHED;
    if (fresh) this.#storage.setItem(this.#storageKey, id);
    return reply.type === 'view' ? reply.data : null;
  }

  #untilClosed() {
    const socket = this.#socket;
    if (socket.readyState > 1) return Promise.resolve();
    return new Promise((resolve) => {
      socket.onclose = () => {
        this.#rejectPending();
        resolve();
      };
    });
  }

  #receive(received) {
    const now = performance.now();
    let reply;
    try {
      reply = JSON.parse(received);
    } catch {
      reply = { type: 'error', data: { code: 'NOT_JSON', message: 'The server sent something that is not JSON.' } };
    }
    if (reply.type === 'error') this.#lastWords = reply.data?.message ?? null;
    const call = this.#pending.shift();
    call?.resolve({ reply, sent: call.sent, received, ms: now - call.since });
  }

  #rejectPending() {
    const lost = this.#pending.splice(0);
    for (const call of lost) call.reject(new ConnectionLost('The connection was lost before the answer came.'));
  }

  #backoff(failures) {
    return Math.min(LONGEST_PAUSE_MS, 250 * 2 ** Math.min(failures - 1, 6));
  }

  #pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #report(phase, message, session) {
    this.status = { phase, message, session };
    this.#emit('status', this.status);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function claimAlone() {
  return () => {};
}

// A lock of the browser that this tab has while it lives; null if another tab has it. The tab that is
// reloaded gives it up a little late, hence the patience.
export async function claimWithLock(name, locks, patienceMs = 1500) {
  if (!locks) return claimAlone();
  return new Promise((resolve) => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), patienceMs);
    locks
      .request(name, { signal: patience.signal }, () => {
        clearTimeout(timer);
        return new Promise((release) => resolve(release));
      })
      .catch(() => resolve(null));
  });
}
