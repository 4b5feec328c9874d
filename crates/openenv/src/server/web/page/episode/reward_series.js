// Rewards as a plot draws them: at most one bar for every few pixels.

import { stepReward } from './episode.js';

/**
 * Buckets of neighbouring steps: `{from, to, low, high, sum}`, with the lowest and the highest
 * reward in them (0 if there is none) and the return after them, `null` where it is not known.
 * `from` and `to` are indices.
 */
export function rewardBuckets(steps, sums, most) {
  const size = Math.max(1, Math.ceil(steps.length / Math.max(1, most)));
  const buckets = [];
  // Where nothing is known of the whole, what is there counts from zero.
  const known = sums?.some((value) => value !== null) ? sums : null;
  let sum = 0;
  for (let from = 0; from < steps.length; from += size) {
    const to = Math.min(steps.length, from + size) - 1;
    let [low, high] = [0, 0];
    for (let index = from; index <= to; index += 1) {
      const reward = stepReward(steps[index]) ?? 0;
      low = Math.min(low, reward);
      high = Math.max(high, reward);
      sum += reward;
    }
    buckets.push({ from, to, low, high, sum: known ? known[to] : sum });
  }
  return buckets;
}

/** The plot in words. */
export function rewardSummary(steps) {
  let [count, low, high, total] = [0, Infinity, -Infinity, 0];
  for (const step of steps) {
    const reward = stepReward(step);
    if (reward === null) continue;
    count += 1;
    total += reward;
    low = Math.min(low, reward);
    high = Math.max(high, reward);
  }
  return { count, low: count ? low : null, high: count ? high : null, total };
}
