// A JSON value as a tree that one can look around in.

import { html, useEffect, useId, useMemo, useRef, useState } from '../vendor/preact.js';
import { CopyButton, writeClipboard } from '../part/copy_button.js';
import { pathText } from '../episode/diff.js';
import { countText } from '../episode/format.js';
import { ViewIcon } from './view_icon.js';
import { TreeRow } from './tree_row.js';
import { TREE_CHUNK, searchTree, treeBranches, treeRows } from '../episode/tree_model.js';

const EXPANDED_ROWS = 2_000;
const WORTH_A_TOOLBAR = 6;

/** What was opened stays open when the value changes: `label` names the root. */
export function JsonTree({ value, label = 'value' }) {
  const [open, setOpen] = useState(() => new Map());
  const [limits, setLimits] = useState(() => new Map());
  const [query, setQuery] = useState('');
  const [match, setMatch] = useState(0);
  const [focused, setFocused] = useState('');
  const [notice, setNotice] = useState('');
  const [drawn, setDrawn] = useState(() => new Set());
  const box = useRef(null);
  const moveFocus = useRef(false);
  const searchId = useId();

  const found = useMemo(() => searchTree(value, query), [value, query]);
  const reach = useMemo(() => {
    if (found.reach.size === 0) return limits;
    const all = new Map(limits);
    for (const [pointer, count] of found.reach) all.set(pointer, Math.max(all.get(pointer) ?? TREE_CHUNK, count));
    return all;
  }, [found, limits]);
  const rows = useMemo(() => treeRows(value, { open, limits: reach, forced: found.forced }), [value, open, reach, found]);
  const matched = useMemo(() => new Set(found.matches), [found]);
  const current = found.matches[Math.min(match, found.matches.length - 1)];
  const focusAt = Math.max(0, rows.findIndex((row) => row.pointer === focused));

  useEffect(() => {
    if (current !== undefined) treeElement(box.current, rows, current)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  useEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    treeElement(box.current, rows, rows[focusAt]?.pointer)?.focus();
  });

  const toggle = (row, isOpen = !row.isOpen) => setOpen((old) => new Map(old).set(row.pointer, isOpen));
  const showMore = (row, count) => {
    setLimits((old) => new Map(old).set(row.parent, row.shown + count));
    setFocused(row.parent);
  };
  const goTo = (at) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    moveFocus.current = true;
    setFocused(row.pointer);
  };
  const onKeyDown = (event) => {
    const row = rows[focusAt];
    if (event.target.getAttribute('role') !== 'treeitem' || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.key === 'c' && String(getSelection()) === '' && row.rest === undefined) {
      writeClipboard(treeText(row.value)).then((copied) => setNotice(copied ? 'Copied the value.' : 'Could not copy.'));
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const act = {
      ArrowDown: () => goTo(focusAt + 1),
      ArrowUp: () => goTo(focusAt - 1),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      ArrowRight: () => {
        if (row.isFoldable && !row.isOpen) toggle(row, true);
        else if (row.isBranch) goTo(focusAt + 1);
      },
      ArrowLeft: () => {
        if (row.isFoldable && row.isOpen) toggle(row, false);
        else goTo(rows.findLastIndex((other, at) => at < focusAt && other.depth < row.depth));
      },
      Enter: () => (row.rest === undefined ? row.isFoldable && toggle(row) : showMore(row, TREE_CHUNK)),
      ' ': () => (row.rest === undefined ? row.isFoldable && toggle(row) : showMore(row, TREE_CHUNK)),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const expandAll = () => {
    const { branches, complete } = treeBranches(value, EXPANDED_ROWS);
    setOpen(new Map(branches.map((pointer) => [pointer, true])));
    setNotice(complete ? '' : `This is large: the first ${EXPANDED_ROWS.toLocaleString('en')} entries are open.`);
  };
  const collapseAll = () => {
    setOpen(new Map(rows.filter((row) => row.isBranch && row.depth > 0).map((row) => [row.pointer, false])));
    setQuery('');
  };
  const step = (by) => setMatch((match + by + found.matches.length) % Math.max(1, found.matches.length));
  const onSearchKey = (event) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && query !== '') setQuery('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isComposite = value !== null && typeof value === 'object';

  return html`<div class="tree">
    ${isComposite && rows.length + drawn.size >= WORTH_A_TOOLBAR ? html`<div class="tree-toolbar">
      <span class="tree-search">
        <${ViewIcon} name="search" />
        <label class="views-hidden" for=${searchId}>Search in ${label}</label>
        <input id=${searchId} type="search" placeholder="Search" value=${query} onKeyDown=${onSearchKey}
          onInput=${(event) => { setQuery(event.currentTarget.value); setMatch(0); }} />
      </span>
      ${query.trim() ? html`<span class="tree-found" role="status">${found.matches.length === 0 ? 'nothing found' : `${Math.min(match, found.matches.length - 1) + 1} of ${found.matches.length}${found.complete ? '' : '+'}`}</span>
        <button type="button" class="views-icon-button" aria-label="Previous match" onClick=${() => step(-1)}><${ViewIcon} name="previous" /></button>
        <button type="button" class="views-icon-button" aria-label="Next match" onClick=${() => step(1)}><${ViewIcon} name="next" /></button>` : null}
      <span class="tree-buttons">
        <button type="button" class="views-link" onClick=${expandAll}>Expand all</button>
        <button type="button" class="views-link" onClick=${collapseAll}>Collapse</button>
        <${CopyButton} text=${() => JSON.stringify(value, null, 2)} label="Copy JSON" compact=${true} />
      </span>
    </div>` : null}
    <div class="tree-rows" role="tree" aria-label=${label} ref=${box} onKeyDown=${onKeyDown}>
      ${rows.map((row, at) => row.rest !== undefined
        ? html`<div key=${row.pointer} class="tree-row tree-more" role="treeitem" aria-level=${row.depth + 1} aria-selected="false" data-at=${at} tabindex=${at === focusAt ? 0 : -1} style=${{ '--depth': row.depth }}
            onFocus=${() => setFocused(row.pointer)}>
            <button type="button" class="views-link" tabindex="-1" onClick=${() => showMore(row, TREE_CHUNK)}>Show ${Math.min(TREE_CHUNK, row.rest)} more</button>
            <span class="tree-dim">${countText(row.rest, 'entry', 'entries')} left</span>
          </div>`
        : html`<${TreeRow} key=${row.pointer} row=${row} at=${at} label=${label} isFocusable=${at === focusAt} isMatch=${matched.has(row.pointer)} isCurrent=${row.pointer === current}
            isDrawn=${drawn.has(row.pointer)} onToggle=${toggle} onFocus=${setFocused}
            onDraw=${() => setDrawn((old) => { const next = new Set(old); if (!next.delete(row.pointer)) next.add(row.pointer); return next; })}
            copyValue=${() => treeText(row.value)} copyPath=${pathText(row.path) || label} />`)}
    </div>
    <p class="tree-notice" role="status">${notice}</p>
  </div>`;
}

function treeText(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? 'undefined';
}

function treeElement(box, rows, pointer) {
  const at = rows.findIndex((row) => row.pointer === pointer);
  return at === -1 ? null : box?.querySelector(`[data-at="${at}"]`);
}
