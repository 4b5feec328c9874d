// An episode as a file, or as a program that plays it again.

import { stepDone, stepError, stepReward } from './episode.js';
import { curlProgram } from './export_curl.js';
import { pythonProgram } from './export_python.js';
import { rustProgram } from './export_rust.js';

const EXPORT_PROGRAMS = {
  curl: { write: curlProgram, mime: 'text/x-shellscript', suffix: 'sh' },
  python: { write: pythonProgram, mime: 'text/x-python', suffix: 'py' },
  rust: { write: rustProgram, mime: 'text/x-rust', suffix: 'rs' },
};

/**
 * An episode as `{name, mime, text}` in one of the formats `jsonl`, `curl`, `python`
 * and `rust`. `baseUrl` is the address of the environment, as clients connect to it.
 */
export function exportEpisode(episode, format, baseUrl) {
  const stem = `episode-${exportStem(episode.episode_id || episode.key)}`;
  if (format === 'jsonl') return { name: `${stem}.jsonl`, mime: 'application/jsonl', text: episodeLines(episode) };
  const program = EXPORT_PROGRAMS[format];
  if (!program) throw new Error(`there is no export called \`${format}\``);
  return { name: `${stem}.${program.suffix}`, mime: program.mime, text: program.write(exportReplay(episode, baseUrl)) };
}

function exportStem(id) {
  return String(id ?? '').replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'unnamed';
}

function episodeLines(episode) {
  const { steps, source, ...summary } = episode;
  const first = { openenv_episode: 1, ...summary, live: false };
  return [first, ...steps].map((line) => JSON.stringify(line)).join('\n') + '\n';
}

/** What the programs need: calls in order, each with what it was worth when it was recorded. */
function exportReplay(episode, baseUrl) {
  const base = String(baseUrl).replace(/[?#].*$/, '').replace(/\/+$/, '').replace(/\/web$/, '');
  const notes = [];
  if (episode.dropped > 0) {
    notes.push(`${episode.dropped} earlier steps were no longer kept: what comes after them may differ`);
  } else if (episode.steps.length > 0 && episode.steps[0].kind !== 'reset') {
    notes.push('the recording begins without a reset');
  }
  for (let index = 1; index < episode.steps.length; index += 1) {
    const missing = episode.steps[index].n - episode.steps[index - 1].n - 1;
    if (missing > 0) {
      notes.push(`${missing} steps before step ${episode.steps[index].n} are missing`);
    }
  }
  return {
    base,
    environment: oneLine(episode.environment || 'the environment'),
    episode: oneLine(episode.episode_id || episode.key || 'unnamed'),
    notes,
    calls: episode.steps.map((step) => ({
      n: step.n,
      kind: step.kind,
      request: step.request ?? {},
      reward: stepReward(step),
      done: stepDone(step),
      failure: stepError(step) ? oneLine(stepError(step).message) : null,
    })),
  };
}

/** For comments: what is recorded must not end one. */
function oneLine(text) {
  const line = String(text ?? '').replace(/[\s\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
