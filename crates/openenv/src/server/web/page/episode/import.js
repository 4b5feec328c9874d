// Episodes from files: those of this page, and those that the reference's `collect` writes.

import { episodeReturn, stepDone, stepError, stepFromServer, stepReward } from './episode.js';

/**
 * The episodes in a file of JSON Lines. Its `problems` say which lines could not be
 * read, as `{line, message}`; the rest is there all the same.
 */
export function importEpisodes(text) {
  const episodes = [];
  const problems = [];
  let current = null;
  text.replace(/^\ufeff/, '').split(/\r?\n/).forEach((source, index) => {
    const line = index + 1;
    if (source.trim() === '') return;
    let json;
    try {
      json = JSON.parse(source);
    } catch (error) {
      problems.push({ line, message: `line ${line} is not JSON (${error.message})` });
      return;
    }
    const kind = importKind(json);
    if (kind === 'header') {
      if (json.openenv_episode > 1) problems.push({ line, message: `line ${line} was written by a newer version; what it adds is not shown` });
      current = importHeader(json, episodes.length);
      episodes.push(current);
    } else if (kind === 'step') {
      if (!current) {
        problems.push({ line, message: `line ${line} is a step before the first episode; a line with "openenv_episode" begins one` });
        return;
      }
      current.steps.push(stepFromServer(json));
    } else if (kind === 'record') {
      episodes.push(importRecord(json, episodes.length));
    } else {
      problems.push({ line, message: `line ${line} is neither an episode nor a step` });
    }
  });
  for (const episode of episodes) importFinish(episode);
  episodes.problems = problems;
  return episodes;
}

function importKind(json) {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return null;
  if (Number.isInteger(json.openenv_episode)) return 'header';
  if (Array.isArray(json.messages) || Array.isArray(json.tool_trace)) return 'record';
  return Number.isInteger(json.n) && typeof json.kind === 'string' ? 'step' : null;
}

function importHeader(json, position) {
  const { openenv_episode: _, steps: __, ...summary } = json;
  return { environment: '', session: '', origin: 'file', dropped: 0, ...summary, key: `file-${position}-${summary.key ?? ''}`, live: false, steps: [], source: 'file' };
}

function importRecord(json, position) {
  const trace = Array.isArray(json.tool_trace) ? json.tool_trace : [];
  const steps = trace.length > 0 ? trace.map(importTraced) : importConversation(json.messages ?? []);
  const prompts = (json.messages ?? []).filter((message) => message?.role === 'system' || message?.role === 'user');
  const first = stepFromServer({
    n: 0,
    kind: 'reset',
    request: json.task === null || json.task === undefined ? {} : { task: json.task },
    reply: { observation: { messages: trace.length > 0 ? json.messages ?? [] : prompts }, reward: null, done: false },
  });
  const all = [first, ...steps];
  all.forEach((step, index) => { step.n = index; });
  const last = all[all.length - 1];
  // The record has one reward, for the whole; it belongs to the last step unless the steps add up to it.
  if (typeof json.reward === 'number' && episodeReturn(all) !== json.reward && stepReward(last) === null && last !== first) {
    last.reply = { ...last.reply, reward: json.reward };
  }
  if (json.done === true && last.reply) last.reply = { ...last.reply, done: true };
  const { episode_id, messages, tool_trace, reward, done, ...rest } = json;
  return {
    key: `file-${position}-${episode_id ?? ''}`,
    episode_id: episode_id ?? '',
    environment: '',
    session: '',
    origin: 'file',
    started_at: null,
    live: false,
    dropped: 0,
    return: typeof reward === 'number' ? reward : undefined,
    done: done === true,
    record: rest,
    steps: all,
    source: 'file',
  };
}

function importTraced(entry) {
  const result = entry?.result ?? {};
  const reward = result.metadata?.reward ?? result.metadata?.env_reward;
  return stepFromServer({
    kind: 'tool',
    request: { name: entry?.tool_name ?? 'tool', arguments: entry?.arguments ?? {} },
    reply: result.error ? null : { data: result.data ?? null, reward: typeof reward === 'number' ? reward : null, done: result.done === true, metadata: result.metadata },
    error: result.error ? { message: String(result.error), code: 'TOOL_ERROR' } : null,
  });
}

/** Without a trace, the conversation tells what was called and what came back. */
function importConversation(messages) {
  const answers = new Map(messages.filter((message) => message?.role === 'tool').map((message) => [message.tool_call_id, message]));
  return messages.filter((message) => message?.role === 'assistant').flatMap((message) => {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    if (calls.length === 0) {
      return [stepFromServer({ kind: 'step', request: { message: message.content ?? '' }, reply: { observation: {}, reward: null, done: false } })];
    }
    return calls.map((call) => stepFromServer({
      kind: 'tool',
      request: { name: call.function?.name ?? call.name ?? 'tool', arguments: importArguments(call.function?.arguments ?? call.args) },
      reply: { data: answers.get(call.id)?.content ?? null, reward: null, done: false },
    }));
  });
}

function importArguments(given) {
  if (typeof given !== 'string') return given ?? {};
  try {
    return JSON.parse(given);
  } catch {
    return { arguments: given };
  }
}

/** What a file leaves out can be counted. */
function importFinish(episode) {
  const { steps } = episode;
  const last = steps[steps.length - 1];
  if (typeof episode.return !== 'number') episode.return = episodeReturn(steps);
  if (typeof episode.length !== 'number') episode.length = last ? last.n + 1 : 0;
  if (typeof episode.errors !== 'number') episode.errors = steps.filter(stepError).length;
  if (typeof episode.done !== 'boolean') episode.done = stepDone(last);
}
