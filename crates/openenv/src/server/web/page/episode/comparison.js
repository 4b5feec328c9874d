// Where two episodes are alike and where they part.

import { episodeReturn, stepDone, stepError, stepReward } from './episode.js';
import { sameValue } from './diff.js';

/**
 * The steps of both by position: rows `{n, left, right, differs}`, `differs` naming what is not
 * equal of `request`, `reward`, `done`, `error` and `observation`, or `missing` where one side
 * has no such step. `first` is the first row that differs, -1 if none does.
 */
export function compareEpisodes(left, right) {
  const byPosition = new Map();
  for (const [side, episode] of [['left', left], ['right', right]]) {
    for (const step of episode.steps) {
      const row = byPosition.get(step.n) ?? { n: step.n, left: null, right: null };
      row[side] = step;
      byPosition.set(step.n, row);
    }
  }
  const rows = [...byPosition.values()].sort((one, other) => one.n - other.n);
  for (const row of rows) row.differs = stepDifferences(row.left, row.right);
  return {
    rows,
    first: rows.findIndex((row) => row.differs.length > 0),
    count: rows.filter((row) => row.differs.length > 0).length,
    returns: [left, right].map((episode) => (Number.isFinite(episode.return) ? episode.return : episodeReturn(episode.steps))),
    lengths: [left, right].map((episode) => episode.steps.filter((step) => step.kind !== 'reset').length),
  };
}

function stepDifferences(left, right) {
  if (!left || !right) return ['missing'];
  const differs = [];
  if (left.kind !== right.kind || !sameValue(left.request, right.request)) differs.push('request');
  if (stepReward(left) !== stepReward(right)) differs.push('reward');
  if (stepDone(left) !== stepDone(right)) differs.push('done');
  if ((stepError(left)?.message ?? null) !== (stepError(right)?.message ?? null)) differs.push('error');
  if (!sameValue(comparedReply(left), comparedReply(right))) differs.push('observation');
  return differs;
}

/** What both sides' replies are compared by; metadata often holds times, which always differ. */
export function comparedReply(step) {
  if (!step?.reply) return null;
  return step.kind === 'tool' ? step.reply : step.reply.observation ?? null;
}
