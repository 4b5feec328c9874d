// Which rows the timeline has, and which of them a filter leaves.

import { stepError, stepReward, stepTitle } from './episode.js';

const SEARCHED_LENGTH = 2_000;
const searchable = new WeakMap();

function timelineText(step) {
  let text = searchable.get(step);
  if (text === undefined) {
    const error = stepError(step)?.message ?? '';
    const reply = step.reply ? JSON.stringify(step.reply.observation ?? step.reply).slice(0, SEARCHED_LENGTH) : '';
    text = `${step.n} ${stepTitle(step, 400)} ${error} ${reply}`;
    searchable.set(step, text);
  }
  return text;
}

/** A text, or an expression between slashes; `null` if the expression is not one. */
export function textMatcher(query) {
  const trimmed = query.trim();
  if (trimmed === '') return () => true;
  const expression = /^\/(.+)\/(i?)$/.exec(trimmed);
  if (expression) {
    try {
      const pattern = new RegExp(expression[1], expression[2]);
      return (text) => pattern.test(text);
    } catch {
      return null;
    }
  }
  const wanted = trimmed.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

/** Rows `{kind: 'step', index}`, `{kind: 'dropped', count}` and `{kind: 'gap', count}`. */
export function timelineRows(episode, filter) {
  const { steps, dropped } = episode;
  const matches = textMatcher(filter?.text ?? '') ?? (() => false);
  const isFiltered = Boolean(filter?.text?.trim() || filter?.errorsOnly || filter?.rewardOnly);
  const rows = [];
  if (dropped > 0 && !isFiltered) rows.push({ kind: 'dropped', count: dropped });
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index];
    const missing = index === 0 ? step.n - (dropped || 0) : step.n - steps[index - 1].n - 1;
    if (missing > 0 && !isFiltered) rows.push({ kind: 'gap', count: missing });
    if (filter?.errorsOnly && !stepError(step)) continue;
    if (filter?.rewardOnly && !stepReward(step)) continue;
    if (!matches(timelineText(step))) continue;
    rows.push({ kind: 'step', index });
  }
  return rows;
}
