// What changed between two texts: by line, or by word if they are one line.

import { commonPairs } from './sequence.js';

const MAX_PRODUCT = 1_000_000;
const MAX_LENGTH = 400_000;

/**
 * `{unit: 'line'|'word', parts: [{kind: 'same'|'added'|'removed', text}]}`, the parts of
 * which make up both texts; `null` if the texts are too long to compare.
 */
export function diffText(before, after) {
  if (before.length + after.length > MAX_LENGTH) return null;
  const unit = before.includes('\n') || after.includes('\n') ? 'line' : 'word';
  const split = unit === 'line' ? textLines : textWords;
  const parts = textParts(split(before), split(after));
  return parts && { unit, parts };
}

function textLines(text) {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function textWords(text) {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function textParts(old, fresh) {
  let head = 0;
  const shortest = Math.min(old.length, fresh.length);
  while (head < shortest && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;

  const left = old.slice(head, old.length - tail);
  const right = fresh.slice(head, fresh.length - tail);
  if (left.length * right.length > MAX_PRODUCT) return null;
  const parts = [];
  const add = (kind, tokens) => {
    if (tokens.length === 0) return;
    const last = parts[parts.length - 1];
    if (last?.kind === kind) last.text += tokens.join('');
    else parts.push({ kind, text: tokens.join('') });
  };
  add('same', old.slice(0, head));
  let from = 0;
  let to = 0;
  for (const [nextFrom, nextTo] of [...commonPairs(left, right), [left.length, right.length]]) {
    add('removed', left.slice(from, nextFrom));
    add('added', right.slice(to, nextTo));
    if (nextFrom < left.length) add('same', [left[nextFrom]]);
    from = nextFrom + 1;
    to = nextTo + 1;
  }
  add('same', old.slice(old.length - tail));
  return parts;
}
