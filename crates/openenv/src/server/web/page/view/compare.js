// Two episodes side by side.

import { html, useEffect, useId, useMemo, useRef, useState } from '../vendor/preact.js';
import { comparedReply, compareEpisodes } from '../episode/comparison.js';
import { DiffView } from './diff_view.js';
import { stepDone, stepError, stepReward, stepTitle } from '../episode/episode.js';
import { ErrorBox } from './error_box.js';
import { countText, numberText } from '../episode/format.js';
import { JsonTree } from './json_tree.js';
import { RewardChip } from './timeline.js';
import { ViewIcon } from './view_icon.js';
import { useVirtualRows } from './virtual_list.js';

const COMPARE_ROW = 40;
const DIFFERENCE_WORDS = { request: 'action', reward: 'reward', done: 'done', error: 'error', observation: 'observation', missing: 'on one side only' };

/** `left` and `right` are episodes; rows are aligned by position. */
export function Compare({ left, right }) {
  const comparison = useMemo(() => compareEpisodes(left, right), [left, right, left.steps.length, right.steps.length]);
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const [chosen, setChosen] = useState(null);
  const rows = useMemo(() => (onlyDifferent ? comparison.rows.filter((row) => row.differs.length > 0) : comparison.rows), [comparison, onlyDifferent]);
  const list = useVirtualRows(rows.length, COMPARE_ROW);
  const id = useId();
  const hasFocus = useRef(false);

  const firstN = comparison.first === -1 ? null : comparison.rows[comparison.first].n;
  const selected = rows.findIndex((row) => row.n === (chosen ?? firstN ?? rows[0]?.n));
  const choose = (at) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (!row) return;
    setChosen(row.n);
    list.reveal(rows.indexOf(row));
  };
  const jump = () => {
    setChosen(firstN);
    list.reveal(rows.findIndex((row) => row.n === firstN));
  };
  useEffect(jump, [comparison]);
  useEffect(() => {
    if (hasFocus.current) document.getElementById(`${id}-${rows[selected]?.n}`)?.focus({ preventScroll: true });
  }, [selected, list.first, list.last]);
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: rows.length - 1, PageDown: selected + 10, PageUp: selected - 10 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    hasFocus.current = true;
    choose(to);
  };

  return html`<div class="compare">
    <${CompareSummary} left=${left} right=${right} comparison=${comparison} />
    <div class="compare-bar">
      <button type="button" class="views-button" disabled=${firstN === null} onClick=${jump}><${ViewIcon} name="flag" />First difference</button>
      <button type="button" class="views-toggle" aria-pressed=${onlyDifferent} onClick=${() => setOnlyDifferent(!onlyDifferent)}>Only differences</button>
      <span class="timeline-count" role="status">${comparison.count === 0 ? 'no differences' : `${comparison.count.toLocaleString('en')} of ${countText(comparison.rows.length, 'step')} ${comparison.count === 1 ? 'differs' : 'differ'}`}</span>
    </div>
    <div class="compare-scroll" role="grid" aria-label="Steps of both episodes" aria-rowcount=${rows.length} ref=${list.ref} onScroll=${list.onScroll} onKeyDown=${onKeyDown}
      onFocusIn=${() => { hasFocus.current = true; }} onFocusOut=${() => { hasFocus.current = false; }} tabindex=${rows.length === 0 ? 0 : -1}>
      ${rows.length === 0 ? html`<div role="row"><p class="timeline-empty" role="gridcell">${onlyDifferent ? 'The episodes are equal, step by step.' : 'There are no steps to compare.'}</p></div>` : null}
      <div class="compare-space" role="rowgroup" style=${{ height: `${list.total}px` }}>
        ${rows.slice(list.first, list.last).map((row, offset) => {
          const at = list.first + offset;
          const isEqual = row.differs.length === 0;
          return html`<div key=${row.n} id="${id}-${row.n}" role="row" aria-rowindex=${at + 1} aria-selected=${at === selected} tabindex=${at === selected ? 0 : -1}
            class="compare-row${isEqual ? ' compare-equal' : ''}${at === selected ? ' compare-selected' : ''}${row.n === firstN ? ' compare-first' : ''}"
            style=${{ transform: `translateY(${at * COMPARE_ROW}px)`, height: `${COMPARE_ROW}px` }} onClick=${() => choose(at)}>
            <span class="compare-n" role="rowheader">${row.n}</span>
            <${CompareCell} step=${row.left} differs=${row.differs} />
            <span class="compare-mark" role="gridcell" title=${isEqual ? 'equal' : row.differs.map((name) => DIFFERENCE_WORDS[name]).join(', ')}><span aria-hidden="true">${isEqual ? '=' : '≠'}</span><span class="views-hidden">${isEqual ? 'equal' : 'different'}</span></span>
            <${CompareCell} step=${row.right} differs=${row.differs} />
          </div>`;
        })}
      </div>
    </div>
    ${rows[selected] ? html`<${CompareDetail} key=${rows[selected].n} row=${rows[selected]} />` : null}
  </div>`;
}

function CompareSummary({ left, right, comparison }) {
  const { first, rows, returns, lengths } = comparison;
  const parting = first === -1
    ? 'They are equal, step by step.'
    : rows[first].differs[0] === 'missing'
      ? `They are equal up to step ${rows[first].n}, where one of them ends.`
      : `They part at step ${rows[first].n}: ${rows[first].differs.map((name) => DIFFERENCE_WORDS[name]).join(', ')}.`;
  const side = (episode, at) => html`<div class="compare-side">
    <span class="compare-letter" aria-hidden="true">${'AB'[at]}</span>
    <div><strong class="compare-name" title=${episode.episode_id}>${episode.episode_id || episode.key || 'unnamed'}</strong>
    <span class="compare-facts">return ${numberText(returns[at])} · ${countText(lengths[at], 'step')}${episode.done ? ' · done' : ''}</span></div>
  </div>`;
  return html`<div class="compare-summary">
    ${side(left, 0)}${side(right, 1)}
    <p class="compare-parting">${parting}${returns[0] === returns[1] ? '' : ` The return of B is ${numberText(Math.abs(returns[1] - returns[0]))} ${returns[1] > returns[0] ? 'higher' : 'lower'}.`}</p>
  </div>`;
}

function CompareCell({ step, differs }) {
  if (!step) return html`<span class="compare-cell compare-none" role="gridcell">no such step</span>`;
  const reward = stepReward(step);
  return html`<span class="compare-cell" role="gridcell">
    <span class="compare-title${differs.includes('request') ? ' compare-changed' : ''}" title=${stepTitle(step)}>${stepTitle(step)}</span>
    ${stepError(step) ? html`<span class="views-chip views-bad">error</span>` : null}
    ${stepDone(step) ? html`<span class="views-chip views-info">done</span>` : null}
    ${reward === null ? null : html`<${RewardChip} reward=${reward} />`}
  </span>`;
}

/** What is called is part of the difference only where it differs. */
function comparedRequest(step, other) {
  return step.kind === other.kind ? step.request : { [step.kind]: step.request };
}

function CompareDetail({ row }) {
  const { n, left, right, differs } = row;
  if (!left || !right) {
    const step = left ?? right;
    return html`<section class="compare-detail" aria-label="Step ${n}"><h2 class="inspector-heading">Step ${n} is in ${left ? 'A' : 'B'} only</h2><${JsonTree} value=${comparedReply(step)} label="observation" /></section>`;
  }
  return html`<section class="compare-detail" aria-label="Step ${n}">
    ${differs.includes('request') ? html`<h2 class="inspector-heading">Action of step ${n}, from A to B</h2><${DiffView} before=${comparedRequest(left, right)} after=${comparedRequest(right, left)} />` : null}
    ${differs.includes('error') ? html`<div class="compare-errors">${[left, right].map((step, at) => stepError(step)
      ? html`<div><h2 class="inspector-heading">Error of ${'AB'[at]}</h2><${ErrorBox} error=${stepError(step)} /></div>`
      : html`<div><h2 class="inspector-heading">Error of ${'AB'[at]}</h2><p class="inspector-none">None.</p></div>`)}</div>` : null}
    <h2 class="inspector-heading">Observation of step ${n}, from A to B</h2>
    <${DiffView} before=${comparedReply(left)} after=${comparedReply(right)} nothing="The observations are equal." />
  </section>`;
}
