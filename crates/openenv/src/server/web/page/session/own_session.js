// What this tab does in its session, and the episode that comes of it.

import { episodeFromServer } from '../episode/episode.js';
import { ConnectionLost } from './connection.js';

// The state and the rendering come right behind a reply. Waiting this long for them shows a step in one
// piece; an environment that is slower to draw does not hold up its result.
const TOGETHER_MS = 60;
const UNNOTICED_MS = 80;
const STEPS_PER_PAGE = 1000;

export class OwnSession {
  #connection;
  #store;
  #pageUrl;
  #fetch;
  #memory;
  #nextRpcId = 1;
  #isRunning = false;

  // `memory` is where the key of the episode outlives a reload: { get(), set(key) }.
  constructor({ connection, store, pageUrl, fetch, memory }) {
    this.#connection = connection;
    this.#store = store;
    this.#pageUrl = pageUrl;
    this.#fetch = fetch;
    this.#memory = memory;
  }

  // After the session was attached: the episode so far is on the server if this is a reload.
  async restore({ view, fresh }) {
    if (this.#store.get().own) return;
    const key = view?.episode ?? this.#memory.get();
    if (!key) return;
    const episode = await fetchEpisode(this.#fetch, this.#pageUrl, key).catch(() => null);
    if (!episode || this.#store.get().own) return;
    if (view?.episode === key && episode.steps.length > 0) {
      const last = episode.steps.length - 1;
      episode.steps[last] = { ...episode.steps[last], ...viewPart(view) };
    }
    this.#store.dispatch({ type: 'episodeRestored', episode: { ...episode, source: 'own' }, over: fresh || !view?.episode });
  }

  get needsReset() {
    const { own, ownIsOver } = this.#store.get();
    return !own || ownIsOver;
  }

  reset(args) {
    return this.#whileRunning('Resetting', () => this.#reset(args));
  }

  // Starts an episode first if there is none; that reset is a step of the timeline like any other.
  step(action, resetArgs = {}) {
    return this.#whileRunning('Running', async () => {
      if (this.needsReset) {
        const start = await this.#reset(resetArgs);
        if (!start || start.error) return start;
      }
      return this.#step(action);
    });
  }

  callTool(name, args) {
    return this.#whileRunning(`Calling ${name}`, () => this.#callTool(name, args));
  }

  async listTools() {
    const rpc = { jsonrpc: '2.0', id: this.#nextRpcId++, method: 'tools/list', params: {} };
    const answer = await this.#connection.call({ type: 'mcp', data: rpc });
    this.#rememberExchange('tools/list', null, answer);
    const { error } = outcome('tool', answer.reply);
    if (error) throw new Error(error.message);
    const tools = answer.reply.data?.result?.tools ?? [];
    this.#store.dispatch({ type: 'toolsListed', tools });
    return tools;
  }

  // Does again what another episode did, from its reset on, and nothing in between. Resolves with
  // `{ made, problem }`: the steps in the same order, fewer if it was cut short, and why; null if something else runs.
  replay(episode) {
    return this.#whileRunning('Replaying', async () => {
      const made = [];
      if (episode.steps[0]?.kind !== 'reset') {
        const { error } = await this.#reset({});
        if (error) return { made, problem: error.message };
      }
      for (const step of episode.steps) {
        if (step.kind !== 'reset' && this.needsReset) return { made, problem: 'the session has ended' };
        const again = await this.#again(step);
        if (again.error?.code === 'CONNECTION_LOST') return { made, problem: again.error.message };
        made.push(again);
      }
      return { made, problem: null };
    });
  }

  #again({ kind, request }) {
    if (kind === 'reset') return this.#reset(request ?? {});
    return kind === 'tool' ? this.#callTool(request.name, request.arguments) : this.#step(request);
  }

  async #whileRunning(label, work) {
    if (this.#isRunning) return null;
    this.#isRunning = true;
    const since = Date.now();
    // Most calls are over before anybody could read that they run.
    const telling = setTimeout(() => this.#store.dispatch({ type: 'runStarted', label, since }), UNNOTICED_MS);
    try {
      return await work();
    } finally {
      clearTimeout(telling);
      this.#isRunning = false;
      if (this.#store.get().running) this.#store.dispatch({ type: 'runEnded' });
    }
  }

  #reset(args) {
    return this.#perform('reset', args, { type: 'reset', data: args });
  }

  #step(action) {
    this.#store.dispatch({ type: 'actionRun', action });
    return this.#perform('step', action, { type: 'step', data: action });
  }

  #callTool(name, args) {
    const rpc = { jsonrpc: '2.0', id: this.#nextRpcId++, method: 'tools/call', params: { name, arguments: args } };
    return this.#perform('tool', { name, arguments: args }, { type: 'mcp', data: rpc });
  }

  async #perform(kind, request, frame) {
    const begun = Date.now() / 1000;
    const answering = this.#connection.call(frame);
    const simulated = this.#store.get().about?.mode !== 'production';
    const stating = simulated ? this.#connection.call({ type: 'state' }) : Promise.resolve(null);
    const viewing = this.#connection.call({ type: 'view' });
    const extras = Promise.allSettled([stating, viewing]);

    let answer;
    try {
      answer = await answering;
    } catch (problem) {
      if (!(problem instanceof ConnectionLost)) throw problem;
      answer = { reply: { type: 'error', data: { message: problem.message, code: problem.code } }, sent: JSON.stringify(frame), received: '', ms: Date.now() - begun * 1000 };
    }
    if (kind === 'tool') this.#rememberExchange('tools/call', request.name, answer);
    const { reply, error } = outcome(kind, answer.reply);
    const settled = await Promise.race([extras, pause(TOGETHER_MS)]);

    if (this.#beginsEpisode(kind, error)) this.#beginEpisode(begun);
    const n = this.#nextPosition(settled);
    const step = {
      n, kind, at: begun - this.#store.get().own.started_at, took: answer.ms, round_trip: true, request, reply, error,
      state: undefined, rendering: undefined, suggested_actions: undefined, logs: [],
      sent: answer.sent, received: answer.received, ...extraPart(settled),
    };
    this.#store.dispatch({ type: 'stepAdded', step });
    this.#identify(settled);
    if (!settled) {
      extras.then((late) => {
        this.#store.dispatch({ type: 'stepCompleted', n, part: extraPart(late) });
        this.#identify(late);
      });
    }
    return step;
  }

  #beginsEpisode(kind, error) {
    if (kind === 'reset' && !error) return true;
    return this.needsReset;
  }

  #beginEpisode(started_at) {
    const { about, connection } = this.#store.get();
    this.#store.dispatch({
      type: 'episodeBegan',
      episode: {
        key: '', episode_id: null, environment: about?.name ?? '', session: (connection.session ?? '').slice(0, 8),
        origin: 'websocket', started_at, live: true, dropped: 0, length: 0, return: 0, done: false, errors: 0,
        steps: [], source: 'own',
      },
    });
  }

  #nextPosition(settled) {
    const { steps } = this.#store.get().own;
    const next = steps.length > 0 ? steps.at(-1).n + 1 : 0;
    const onServer = settled?.[1].value?.reply.data?.step;
    return Number.isInteger(onServer) && onServer >= next ? onServer : next;
  }

  #identify(settled) {
    const key = settled?.[1].value?.reply.data?.episode;
    const state = settled?.[0].value?.reply;
    if (!key) return;
    this.#memory.set(key);
    const episode_id = state?.type === 'state' ? state.data?.episode_id : undefined;
    const { own } = this.#store.get();
    if (own && (own.key !== key || (episode_id && own.episode_id !== episode_id))) {
      this.#store.dispatch({ type: 'episodeIdentified', key, episode_id });
    }
  }

  #rememberExchange(method, name, { sent, received, ms, reply }) {
    const { error } = outcome('tool', reply);
    this.#store.dispatch({
      type: 'exchanged',
      exchange: { id: this.#nextRpcId++, method, name, sent, received, ms, failed: Boolean(error), at: Date.now() },
    });
  }
}

// What a reply frame says: `reply` for a step, or the error instead.
export function outcome(kind, frame) {
  if (frame.type === 'error') {
    return { reply: null, error: { message: 'The call failed.', code: null, ...frame.data } };
  }
  if (kind !== 'tool') return { reply: frame.data ?? null, error: null };
  const { result, error } = frame.data ?? {};
  if (error) return { reply: null, error: { ...error, message: error.message ?? 'The tool failed.' } };
  return { reply: result ?? null, error: null };
}

// An episode that the server keeps, with all of its steps.
export async function fetchEpisode(fetch, pageUrl, key) {
  let summary = null;
  const steps = [];
  for (let from = 0; ; ) {
    const url = new URL(`episodes/${encodeURIComponent(key)}`, pageUrl);
    url.searchParams.set('from', from);
    url.searchParams.set('limit', STEPS_PER_PAGE);
    const answer = await fetch(url);
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      throw new Error(answer.status === 404 ? 'This episode is no longer kept by the server.' : body.detail ?? `The server answered ${answer.status}.`);
    }
    summary = body.summary;
    steps.push(...body.steps);
    if (body.steps.length < STEPS_PER_PAGE) break;
    from = steps.at(-1).n + 1;
  }
  return episodeFromServer(summary, steps, 'kept');
}

function extraPart(settled) {
  if (!settled) return {};
  const [state, view] = settled.map((one) => one.value?.reply ?? null);
  const part = {};
  if (state?.type === 'state') part.state = state.data;
  if (view?.type === 'view') Object.assign(part, viewPart(view.data));
  return part;
}

function viewPart(view) {
  return { rendering: view.rendering ?? null, suggested_actions: view.suggested_actions ?? [], logs: view.logs ?? [] };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}
