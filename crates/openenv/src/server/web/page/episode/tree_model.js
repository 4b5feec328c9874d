// A JSON value as the rows of a tree: which are there, and what each says.

import { imageOf } from './image.js';

export const TREE_CHUNK = 100;
const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 40;
const FOLDED_LENGTH = 160;
const PLAIN_LENGTH = 40;
const SEARCHED_NODES = 100_000;
const MAX_MATCHES = 1_000;

/** A JSON pointer: what names a place in a value. */
export function pointerOf(path) {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function treeType(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value;
}

function treeSize(value) {
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}

/** The shape of a regular nested list of numbers, as `[20, 20]`; `null` if it is anything else. */
export function numericShape(value) {
  if (!Array.isArray(value) || value.length === 0) return null;
  if (typeof value[0] === 'number' || typeof value[0] === 'boolean') {
    return value.every((item) => typeof item === 'number' || typeof item === 'boolean') ? [value.length] : null;
  }
  const inner = numericShape(value[0]);
  if (!inner || inner.length > 3) return null;
  const same = value.every((item) => {
    const shape = numericShape(item);
    return shape && shape.length === inner.length && shape.every((size, at) => size === inner[at]);
  });
  return same ? [value.length, ...inner] : null;
}

export function shapeText(shape) {
  return `list · ${shape.join('×')}`;
}

export function isLongText(value) {
  return typeof value === 'string' && (value.length > FOLDED_LENGTH || value.includes('\n'));
}

/** A short list of plain values, which says itself in one line. */
export function isPlainList(value) {
  return Array.isArray(value) && value.length > 0 && value.length <= PLAIN_LENGTH
    && value.every((item) => item === null || typeof item !== 'object')
    && JSON.stringify(value).length <= FOLDED_LENGTH;
}

function opensByItself(value, depth) {
  if (depth === 0) return true;
  if (numericShape(value) || isPlainList(value)) return false;
  return depth < OPEN_DEPTH && treeSize(value) <= OPEN_CHILDREN;
}

/**
 * The visible rows, in order. `open` holds what was opened or closed by hand and `limits` how
 * many children are shown where it is not the first hundred, both by pointer; places in `forced`
 * are open, for what a search found in them.
 */
export function treeRows(value, { open, limits, forced }) {
  const rows = [];
  const visit = (node, path, parent, position, siblings) => {
    const pointer = pointerOf(path);
    const depth = path.length;
    const type = treeType(node);
    const size = treeSize(node);
    const image = imageOf(node, parent);
    const isBranch = size > 0;
    const isFoldable = isBranch || isLongText(node) || image !== null;
    const isOpen = isFoldable && (forced?.has(pointer) || (open.get(pointer) ?? (isBranch ? opensByItself(node, depth) : image !== null)));
    rows.push({ pointer, path, value: node, type, size, depth, image, isBranch, isFoldable, isOpen, position, siblings });
    if (!isBranch || !isOpen) return;
    const entries = Array.isArray(node) ? null : Object.keys(node);
    const shown = Math.min(size, limits.get(pointer) ?? TREE_CHUNK);
    for (let at = 0; at < shown; at += 1) {
      const key = entries ? entries[at] : at;
      visit(node[key], [...path, key], node, at + 1, size);
    }
    if (shown < size) {
      rows.push({ pointer: `${pointer}/…more`, parent: pointer, path, depth: depth + 1, rest: size - shown, shown, position: shown + 1, siblings: size });
    }
  };
  visit(value, [], null, 1, 1);
  return rows;
}

/** Pointers of everything whose name or text has `query` in it, in the order of the tree, and how to get there. */
export function searchTree(value, query) {
  const wanted = query.trim().toLowerCase();
  const found = { matches: [], forced: new Set(), reach: new Map(), complete: true };
  if (wanted === '') return found;
  let visits = SEARCHED_NODES;
  const visit = (node, path) => {
    visits -= 1;
    if (visits < 0 || found.matches.length >= MAX_MATCHES) {
      found.complete = false;
      return;
    }
    const name = path.length > 0 ? String(path[path.length - 1]) : '';
    const isBranch = node !== null && typeof node === 'object';
    const text = isBranch ? '' : String(node);
    const inText = text.toLowerCase().includes(wanted);
    if ((typeof path[path.length - 1] === 'string' && name.toLowerCase().includes(wanted)) || inText) {
      found.matches.push(pointerOf(path));
      if (inText && isLongText(node)) found.forced.add(pointerOf(path));
      for (let depth = 0; depth < path.length; depth += 1) {
        const above = pointerOf(path.slice(0, depth));
        found.forced.add(above);
        found.reach.set(above, Math.max(found.reach.get(above) ?? 0, treePosition(value, path, depth) + 1));
      }
    }
    if (!isBranch) return;
    for (const key of Array.isArray(node) ? node.keys() : Object.keys(node)) visit(node[key], [...path, key]);
  };
  visit(value, []);
  return found;
}

function treePosition(value, path, depth) {
  const key = path[depth];
  if (typeof key === 'number') return key;
  let node = value;
  for (let at = 0; at < depth; at += 1) node = node[path[at]];
  return Object.keys(node).indexOf(key);
}

/** Pointers of all branches, as far as `most` rows go. */
export function treeBranches(value, most) {
  const branches = [];
  let room = most;
  const visit = (node, path) => {
    if (room <= 0 || node === null || typeof node !== 'object') return;
    room -= treeSize(node);
    branches.push(pointerOf(path));
    if (numericShape(node)?.length === 1) return;
    for (const key of Array.isArray(node) ? node.keys() : Object.keys(node)) visit(node[key], [...path, key]);
  };
  visit(value, []);
  return { branches, complete: room > 0 };
}
