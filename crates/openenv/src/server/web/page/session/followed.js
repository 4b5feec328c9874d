// What somebody who follows an episode knows of it.

import { episodeFromServer, indexOfStep, stepFromServer } from '../episode/episode.js';
import { MOST_STEPS_KEPT } from './store.js';

// The figures are those of the server; the steps are the newest ones, as many as a tab should hold, and the one
// at `selected` with the one before it: who looks at a step compares it with that.
export function withNews(before, { summary, steps, skipped }, selected = null) {
  const isSame = before.episode?.key === summary.key;
  const known = isSame ? before.episode.steps : [];
  const latest = new Map(steps.map((step) => [step.n, stepFromServer(step)]));
  // A drawing may come after its step: then the step comes once more.
  const first = steps[0]?.n ?? Infinity;
  const kept = known.length > 0 && known.at(-1).n >= first ? known.map((step) => takeLatest(latest, step)) : known;
  const all = [...kept, ...latest.values()];
  const shown = all.length > MOST_STEPS_KEPT ? newestAnd(selected, all) : all;
  const dropped = shown.length > 0 ? Math.max(summary.dropped ?? 0, shown[0].n) : summary.dropped ?? 0;
  return {
    episode: { ...episodeFromServer(summary), steps: shown, dropped },
    phase: 'live',
    // What was there before somebody looked did not go by too fast.
    skipped: isSame ? before.skipped + (skipped ?? 0) : 0,
  };
}

function newestAnd(selected, steps) {
  const from = steps.length - MOST_STEPS_KEPT;
  const at = selected === null ? -1 : indexOfStep(steps, selected);
  const looked = at === -1 ? [] : steps.slice(Math.max(0, at - 1), at + 1);
  return [...looked.filter((step) => step.n < steps[from].n), ...steps.slice(from)];
}

function takeLatest(latest, step) {
  const newer = latest.get(step.n);
  if (!newer) return step;
  latest.delete(step.n);
  return { ...step, ...newer };
}
