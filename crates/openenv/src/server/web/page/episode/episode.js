// What all views know about an episode and its steps.

const SECRET_NAME = /(api_?key|token|secret|password|passwd)$/i;
const MASK = '••••';
const KINDS = ['reset', 'step', 'tool'];

/** The reward as a number; `null` if the step has none. `true` counts as 1. */
export function stepReward(step) {
  const reward = step?.kind === 'tool' ? step?.reply?.reward : step?.reply?.reward ?? step?.reply?.observation?.reward;
  if (reward === true || reward === false) return Number(reward);
  return typeof reward === 'number' && Number.isFinite(reward) ? reward : null;
}

export function stepDone(step) {
  return step?.reply?.done === true;
}

export function stepTruncated(step) {
  const reply = step?.reply;
  return stepDone(step) && (reply.metadata?.truncated === true || reply.observation?.metadata?.truncated === true);
}

/**
 * Why a step failed, as `{message, code?, errors?}`; `null` if it did not. Tools tell
 * of a failure in their result: as `isError`, or as `error` of the observation.
 */
export function stepError(step) {
  if (!step) return null;
  if (step.error) return typeof step.error === 'string' ? { message: step.error } : step.error;
  const reply = step.reply;
  if (!reply || typeof reply !== 'object') return null;
  if (reply.isError === true || reply.is_error === true) {
    return { message: episodeContentText(reply.content) || 'the tool reported an error', code: 'TOOL_ERROR' };
  }
  const failure = reply.observation?.tool_name !== undefined ? reply.observation.error : null;
  if (!failure) return null;
  return typeof failure === 'string'
    ? { message: failure, code: 'TOOL_ERROR' }
    : { message: failure.message ?? JSON.stringify(failure), code: failure.error_type ?? 'TOOL_ERROR' };
}

function episodeContentText(content) {
  if (!Array.isArray(content)) return '';
  return content.map((item) => (typeof item?.text === 'string' ? item.text : '')).filter(Boolean).join('\n');
}

export function isSecretName(name) {
  return SECRET_NAME.test(name);
}

/** A copy in which what is named like a secret cannot be read. */
export function maskSecrets(value) {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      isSecretName(name) && inner !== null && inner !== '' ? [name, MASK] : [name, maskSecrets(inner)],
    ),
  );
}

function shortValue(value, limit) {
  if (typeof value === 'string') {
    const line = value.length > limit ? `${value.slice(0, limit)}…` : value;
    return JSON.stringify(line);
  }
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    if (value.length > 8) return `[${value.length} items]`;
    const text = `[${value.map((item) => shortValue(item, 16)).join(', ')}]`;
    return text.length > limit ? `[${value.length} items]` : text;
  }
  const text = JSON.stringify(value);
  return text.length > limit ? `{${Object.keys(value).slice(0, 4).join(', ')}${Object.keys(value).length > 4 ? ', …' : ''}}` : text;
}

/** `step(message="hi")`, `search(query="seal")`, `reset(seed=7)`: at most `limit` characters. */
export function stepTitle(step, limit = 96) {
  const request = step?.request;
  let name = step?.kind ?? 'step';
  let parameters = request;
  if (name === 'tool') {
    name = request?.name ?? 'tool';
    parameters = request?.arguments;
  } else if (name === 'step' && request?.type === 'call_tool' && typeof request.tool_name === 'string') {
    name = request.tool_name;
    parameters = request.arguments;
  } else if (name === 'step' && request?.type === 'list_tools') {
    return 'list_tools()';
  }
  let inside = '';
  if (parameters !== null && typeof parameters === 'object' && !Array.isArray(parameters)) {
    const shown = [];
    let length = 0;
    for (const [key, value] of Object.entries(parameters)) {
      if (key === 'metadata' && (value === null || Object.keys(value ?? {}).length === 0)) continue;
      const text = `${key}=${isSecretName(key) && value ? MASK : shortValue(maskSecrets(value), 60)}`;
      shown.push(text);
      length += text.length + 2;
      if (length > limit) break;
    }
    inside = shown.join(', ');
  } else if (parameters !== undefined && parameters !== null) {
    inside = shortValue(parameters, 60);
  }
  const title = `${name}(${inside})`;
  return title.length > limit ? `${title.slice(0, limit - 2)}…)` : title;
}

export function episodeReturn(steps) {
  return steps.reduce((sum, step) => sum + (stepReward(step) ?? 0), 0);
}

/**
 * The return after each step. Where steps are missing it is counted back from the
 * return of the whole; `null` where that is not possible either.
 */
export function cumulativeReturns(episode) {
  const { steps } = episode;
  const sums = new Array(steps.length).fill(null);
  const isWhole = (index) => index === 0 ? steps[0].n === 0 && !episode.dropped : steps[index].n === steps[index - 1].n + 1;
  let sum = 0;
  for (let index = 0; index < steps.length && isWhole(index); index += 1) {
    sum += stepReward(steps[index]) ?? 0;
    sums[index] = sum;
  }
  if (steps.length === 0 || sums[steps.length - 1] !== null || !Number.isFinite(episode.return)) return sums;
  // An episode that is being followed may have got further than the steps at hand.
  if (Number.isFinite(episode.length) && steps[steps.length - 1].n < episode.length - 1) return sums;
  sum = episode.return;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    sums[index] = sum;
    sum -= stepReward(steps[index]) ?? 0;
    if (!isWhole(index)) break;
  }
  return sums;
}

/** A step as the server or a file has it, with everything that views count on. */
export function stepFromServer(json) {
  const source = json ?? {};
  return {
    ...source,
    n: Number.isInteger(source.n) ? source.n : 0,
    kind: KINDS.includes(source.kind) ? source.kind : 'step',
    at: typeof source.at === 'number' ? source.at : null,
    took: typeof source.took === 'number' ? source.took : null,
    request: source.request ?? {},
    reply: source.reply ?? null,
    error: source.error ?? null,
    logs: Array.isArray(source.logs) ? source.logs : [],
  };
}

/** What the duration of a step counts: a tab measures its own steps, the server those that it is asked for. */
export function tookTitle(step) {
  return step.round_trip ? 'Round trip, as the page measured it' : 'Time in the environment, as the server measured it';
}

/** An episode from the summary that the server gives of it. */
export function episodeFromServer(summary, steps = [], source = 'kept') {
  return {
    environment: '',
    session: '',
    origin: '',
    live: false,
    dropped: 0,
    ...summary,
    steps: steps.map(stepFromServer),
    source,
  };
}

/** Where the step at a position is in the list, or the nearest one before it; -1 if there is none. */
export function stepIndex(steps, n) {
  let low = 0;
  let high = steps.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (steps[middle].n === n) return middle;
    if (steps[middle].n < n) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** Where the step itself is in the list, which may have gaps; -1 if it is not there. */
export function indexOfStep(steps, n) {
  const index = stepIndex(steps, n);
  return steps[index]?.n === n ? index : -1;
}
