// What changed between two JSON values.

import { stripAnsi } from './ansi.js';
import { commonPairs } from './sequence.js';
import { diffText } from './text_diff.js';

const MAX_VISITS = 50_000;
const MAX_ENTRIES = 1_000;
const MAX_ALIGNED = 200;
const MAX_SHIFT = 64;
const MANY_NUMBERS = 8;

/**
 * Compares two values. `entries` holds the differences as `{path, kind, before, after}`
 * with kind `added`, `removed` or `changed`, in the order of `after`; a changed text
 * has `text` (see `diffText`), a changed list of numbers `cells` and `total`.
 * `complete` is false if the values were too large to compare in full.
 */
export function diffValues(before, after, limits = {}) {
  const work = {
    visits: limits.visits ?? MAX_VISITS,
    room: limits.entries ?? MAX_ENTRIES,
    entries: [],
    same: 0,
    complete: true,
  };
  diffInto(work, [], before, after);
  return { entries: work.entries, same: work.same, complete: work.complete };
}

/** Whether two values are equal; the order of keys does not matter. */
export function sameValue(left, right) {
  return diffEqual({ visits: Infinity }, left, right);
}

function diffIsObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Gives up as "different" when the work is used up: that is safe, and said by the caller. */
function diffEqual(work, left, right) {
  if (Object.is(left, right)) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return left === right;
  work.visits -= 1;
  if (work.visits < 0) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => diffEqual(work, item, right[index]));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && diffEqual(work, left[key], right[key]));
}

function diffReport(work, entry) {
  if (work.room <= 0) {
    work.complete = false;
    return;
  }
  work.room -= 1;
  work.entries.push(entry);
}

function diffInto(work, path, before, after) {
  work.visits -= 1;
  if (work.visits < 0) {
    if (work.complete) work.entries.push({ path, kind: 'changed', before, after, skipped: true });
    work.complete = false;
    return;
  }
  if (before === undefined && after === undefined) return;
  if (before === undefined) diffReport(work, { path, kind: 'added', before, after });
  else if (after === undefined) diffReport(work, { path, kind: 'removed', before, after });
  else if (Array.isArray(before) && Array.isArray(after)) diffLists(work, path, before, after);
  else if (diffIsObject(before) && diffIsObject(after)) diffObjects(work, path, before, after);
  else if (before === after) work.same += 1;
  else if (typeof before === 'string' && typeof after === 'string') {
    diffReport(work, { path, kind: 'changed', before, after, text: diffText(stripAnsi(before), stripAnsi(after)) });
  } else diffReport(work, { path, kind: 'changed', before, after });
}

function diffObjects(work, path, before, after) {
  for (const key of Object.keys(after)) {
    diffInto(work, [...path, key], Object.hasOwn(before, key) ? before[key] : undefined, after[key]);
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) diffReport(work, { path: [...path, key], kind: 'removed', before: before[key], after: undefined });
  }
}

function diffLists(work, path, before, after) {
  if (diffNumbers(work, path, before, after)) return;
  let head = 0;
  const shortest = Math.min(before.length, after.length);
  while (head < shortest && diffEqual(work, before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shortest - head && diffEqual(work, before[before.length - 1 - tail], after[after.length - 1 - tail])) tail += 1;
  work.same += head + tail;

  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  const shift = head === 0 ? diffShift(work, old, fresh) : 0;
  if (shift > 0) {
    const kept = old.length - shift;
    work.same += kept;
    for (let index = 0; index < shift; index += 1) {
      diffReport(work, { path: [...path, index], kind: 'removed', before: old[index], after: undefined });
    }
    for (let index = kept; index < fresh.length; index += 1) {
      diffReport(work, { path: [...path, index], kind: 'added', before: undefined, after: fresh[index] });
    }
    return;
  }
  for (const [from, to] of diffPairs(old, fresh)) {
    if (to === -1) diffReport(work, { path: [...path, head + from], kind: 'removed', before: old[from], after: undefined });
    else if (from === -1) diffReport(work, { path: [...path, head + to], kind: 'added', before: undefined, after: fresh[to] });
    else diffInto(work, [...path, head + to], old[from], fresh[to]);
  }
}

/** A window that moved on (the last n messages): by how many, or 0. */
function diffShift(work, old, fresh) {
  for (let shift = 1; shift < Math.min(old.length, MAX_SHIFT); shift += 1) {
    const kept = old.length - shift;
    if (kept > fresh.length || kept < old.length / 2) continue;
    if (!diffEqual(work, old[shift], fresh[0])) continue;
    if (old.slice(shift).every((item, index) => diffEqual(work, item, fresh[index]))) return shift;
  }
  return 0;
}

/** Which items belong together: `[old, fresh]`, with -1 for none. */
function diffPairs(old, fresh) {
  if (old.length === fresh.length || old.length > MAX_ALIGNED || fresh.length > MAX_ALIGNED) {
    const pairs = [];
    for (let index = 0; index < Math.max(old.length, fresh.length); index += 1) {
      pairs.push([index < old.length ? index : -1, index < fresh.length ? index : -1]);
    }
    return pairs;
  }
  const left = old.map((item) => JSON.stringify(item));
  const right = fresh.map((item) => JSON.stringify(item));
  const stayed = commonPairs(left, right);
  const pairs = [];
  let from = 0;
  let to = 0;
  for (const [nextFrom, nextTo] of [...stayed, [left.length, right.length]]) {
    // Items of equal place between two that stayed are taken for the same item, changed.
    while (from < nextFrom && to < nextTo) pairs.push([from++, to++]);
    while (from < nextFrom) pairs.push([from++, -1]);
    while (to < nextTo) pairs.push([-1, to++]);
    if (nextFrom < left.length && nextTo < right.length) pairs.push([from++, to++]);
  }
  return pairs;
}

/** Lists of numbers of one shape are one change with the cells that differ. */
function diffNumbers(work, path, before, after) {
  const total = numbersIn(before, after);
  if (total === null || total < 2 * MANY_NUMBERS) return false;
  const cells = [];
  let changed = 0;
  const visit = (place, old, fresh) => {
    if (Array.isArray(old)) old.forEach((item, index) => visit([...place, index], item, fresh[index]));
    else if (old !== fresh) {
      changed += 1;
      if (cells.length < 200) cells.push({ path: place, before: old, after: fresh });
    }
  };
  visit([], before, after);
  if (changed === 0) work.same += total;
  else if (changed < MANY_NUMBERS) {
    work.same += total - changed;
    for (const cell of cells) diffReport(work, { path: [...path, ...cell.path], kind: 'changed', before: cell.before, after: cell.after });
  } else diffReport(work, { path, kind: 'changed', before, after, cells, changed, total });
  return true;
}

/** How many numbers two nested lists of one shape hold; `null` if they are anything else. */
function numbersIn(before, after) {
  if (before.length !== after.length || before.length === 0) return null;
  let total = 0;
  for (let index = 0; index < before.length; index += 1) {
    const [old, fresh] = [before[index], after[index]];
    if (typeof old === 'number' && typeof fresh === 'number') total += 1;
    else if (Array.isArray(old) && Array.isArray(fresh)) {
      const inner = numbersIn(old, fresh);
      if (inner === null) return null;
      total += inner;
    } else return null;
  }
  return total;
}

/** `board[0].pieces["a b"]`, as one would write it. */
export function pathText(path) {
  return path.reduce((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (/^[A-Za-z_$][\w$]*$/.test(part)) return text ? `${text}.${part}` : part;
    return `${text}[${JSON.stringify(part)}]`;
  }, '');
}
