// The steps of an episode, one row each.

import { html, useEffect, useId, useMemo, useRef, useState } from '../vendor/preact.js';
import { cumulativeReturns, indexOfStep, stepDone, stepError, stepReward, stepTitle, stepTruncated, tookTitle } from '../episode/episode.js';
import { countText, durationText, numberText, signedText } from '../episode/format.js';
import { writeClipboard } from '../part/copy_button.js';
import { ViewIcon } from './view_icon.js';
import { textMatcher, timelineRows } from '../episode/timeline_rows.js';
import { useVirtualRows } from './virtual_list.js';

const ROW_HEIGHT = 36;
const NO_FILTER = { text: '', errorsOnly: false, rewardOnly: false };

/**
 * `selected` is the `n` of a step, and what `onSelect` is called with. `permalink(step)`
 * gives the address that a row copies; `filter` is where the filter begins.
 */
export function Timeline({ episode, selected, onSelect, onRepeat, onEdit, permalink, filter }) {
  const [wanted, setWanted] = useState({ ...NO_FILTER, ...filter });
  const rows = useMemo(() => timelineRows(episode, wanted), [episode, episode.steps.length, episode.dropped, wanted]);
  const sums = useMemo(() => cumulativeReturns(episode), [episode, episode.steps.length]);
  const list = useVirtualRows(rows.length, ROW_HEIGHT);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const hasFocus = useRef(false);
  const idPrefix = useId();

  const rowOf = (n) => {
    const index = indexOfStep(episode.steps, n);
    return index === -1 ? -1 : rows.findIndex((row) => row.index === index);
  };
  // Nothing selected means the newest, also when there is a newer one.
  const chosen = selected ?? episode.steps[episode.steps.length - 1]?.n;
  const current = rowOf(chosen);
  const stepRows = useMemo(() => rows.flatMap((row, at) => (row.kind === 'step' ? [at] : [])), [rows]);

  useEffect(() => {
    if (typeof selected === 'number') list.reveal(current);
  }, [current, selected]);
  useEffect(() => {
    if (hasFocus.current) document.getElementById(`${idPrefix}-${chosen}`)?.focus({ preventScroll: true });
  }, [chosen, list.first, list.last]);
  useEffect(() => {
    // What is followed stays in view, unless somebody looks at something earlier.
    if (typeof selected !== 'number' && isAtEnd.current) list.reveal(rows.length - 1);
  }, [rows.length, chosen]);

  const onScroll = (event) => {
    const box = event.currentTarget;
    // Rows that came since the list was scrolled to its end are no reason to stay behind; going back is.
    const isNearEnd = box.scrollTop + box.clientHeight > box.scrollHeight - ROW_HEIGHT;
    isAtEnd.current = isNearEnd || (isAtEnd.current && box.scrollTop >= lastTop.current);
    lastTop.current = box.scrollTop;
    list.onScroll();
  };
  const moveTo = (position) => {
    const at = stepRows[Math.max(0, Math.min(stepRows.length - 1, position))];
    if (at === undefined) return;
    hasFocus.current = true;
    list.reveal(at);
    onSelect?.(episode.steps[rows[at].index].n);
  };
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === 'BUTTON') return;
    const position = stepRows.indexOf(current);
    const page = Math.max(1, Math.floor((list.ref.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1);
    const target = {
      ArrowDown: position + 1,
      ArrowUp: position - 1,
      PageDown: position + page,
      PageUp: position - page,
      Home: 0,
      End: stepRows.length - 1,
      Enter: position,
      ' ': position,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(target);
  };
  const shown = rows.slice(list.first, list.last);
  const focusable = current >= list.first && current < list.last ? current : stepRows.find((at) => at >= list.first);

  return html`<div class="timeline">
    <${TimelineFilter} wanted=${wanted} onChange=${setWanted} shown=${stepRows.length} total=${episode.steps.length} idPrefix=${idPrefix} />
    <div class="timeline-scroll" ref=${list.ref} onScroll=${onScroll} onKeyDown=${onKeyDown}
      onFocusIn=${() => { hasFocus.current = true; }} onFocusOut=${() => { hasFocus.current = false; }}
      role="grid" aria-label="Steps of the episode" aria-rowcount=${rows.length} aria-colcount="6" tabindex=${rows.length === 0 ? 0 : -1}>
      ${rows.length === 0
        ? html`<div role="row"><p role="gridcell" class="timeline-empty">${episode.steps.length === 0 ? 'No steps yet.' : 'No step matches the filter.'}</p></div>`
        : null}
      <div class="timeline-space" role="rowgroup" style=${{ height: `${list.total}px` }}>
        ${shown.map((row, offset) => {
          const at = list.first + offset;
          const place = { transform: `translateY(${at * ROW_HEIGHT}px)`, height: `${ROW_HEIGHT}px` };
          if (row.kind !== 'step') return html`<${TimelineGap} key=${`gap-${at}`} row=${row} at=${at} place=${place} />`;
          const step = episode.steps[row.index];
          return html`<${TimelineRow} key=${step.n} id=${`${idPrefix}-${step.n}`} step=${step} sum=${sums[row.index]} at=${at} place=${place}
            isSelected=${step.n === chosen} isFocusable=${at === focusable} onSelect=${onSelect}
            onRepeat=${onRepeat} onEdit=${onEdit} permalink=${permalink} />`;
        })}
      </div>
    </div>
  </div>`;
}

function TimelineFilter({ wanted, onChange, shown, total, idPrefix }) {
  const set = (change) => onChange({ ...wanted, ...change });
  const isBroken = textMatcher(wanted.text) === null;
  const isOn = wanted.text.trim() !== '' || wanted.errorsOnly || wanted.rewardOnly;
  return html`<div class="timeline-filter" role="search">
    <label class="views-hidden" for="${idPrefix}-text">Filter steps</label>
    <input id="${idPrefix}-text" type="search" placeholder="Filter steps" value=${wanted.text} aria-invalid=${isBroken}
      title="Text, or an expression between slashes" onInput=${(event) => set({ text: event.currentTarget.value })} />
    <button type="button" class="views-toggle" aria-pressed=${wanted.errorsOnly} onClick=${() => set({ errorsOnly: !wanted.errorsOnly })}>Errors</button>
    <button type="button" class="views-toggle" aria-pressed=${wanted.rewardOnly} onClick=${() => set({ rewardOnly: !wanted.rewardOnly })}>Reward ≠ 0</button>
    <span class="timeline-count" role="status">${isBroken ? 'not a valid expression' : isOn ? `${shown.toLocaleString('en')} of ${total.toLocaleString('en')}` : ''}</span>
  </div>`;
}

function TimelineGap({ row, at, place }) {
  const text = row.kind === 'dropped'
    ? `${countText(row.count, 'earlier step')} ${row.count === 1 ? 'is' : 'are'} no longer kept`
    : `… ${countText(row.count, 'step')} not shown`;
  return html`<div class="timeline-row timeline-gap" role="row" aria-rowindex=${at + 1} style=${place}><span role="gridcell" aria-colspan="6">${text}</span></div>`;
}

function TimelineRow({ id, step, sum, at, place, isSelected, isFocusable, onSelect, onRepeat, onEdit, permalink }) {
  const reward = stepReward(step);
  const error = stepError(step);
  const title = stepTitle(step);
  const tab = isFocusable ? 0 : -1;
  const press = (act) => (event) => {
    event.stopPropagation();
    act?.(step);
  };
  return html`<div id=${id} class="timeline-row timeline-${step.kind}${isSelected ? ' timeline-selected' : ''}${error ? ' timeline-failed' : ''}" role="row" aria-rowindex=${at + 1}
    aria-selected=${isSelected} tabindex=${tab} style=${place} onClick=${() => onSelect?.(step.n)}>
    <span class="timeline-n" role="rowheader">${step.n}</span>
    <span class="timeline-title" role="gridcell" title=${error ? `${title}: ${error.message}` : title}>${title}${error ? html` <span class="timeline-error">${error.message}</span>` : null}</span>
    <span class="timeline-flags" role="gridcell">
      ${error ? html`<span class="views-chip views-bad">error</span>` : null}
      ${stepDone(step) ? html`<span class="views-chip views-info">${stepTruncated(step) ? 'cut off' : 'done'}</span>` : null}
      ${reward === null ? null : html`<${RewardChip} reward=${reward} />`}
    </span>
    <span class="timeline-sum" role="gridcell" title=${sum === null ? undefined : `Return so far: ${sum}`}>${sum === null ? '' : numberText(sum)}</span>
    <span class="timeline-took" role="gridcell" title=${tookTitle(step)}>${step.took === null ? '' : durationText(step.took)}</span>
    <span class="timeline-actions" role="gridcell">
      ${onRepeat ? html`<button type="button" tabindex=${tab} onClick=${press(onRepeat)} aria-label="Repeat step ${step.n}" title="Repeat"><${ViewIcon} name="repeat" /></button>` : null}
      ${onEdit ? html`<button type="button" tabindex=${tab} onClick=${press(onEdit)} aria-label="Edit step ${step.n} and run it again" title="Edit and run"><${ViewIcon} name="edit" /></button>` : null}
      ${permalink ? html`<${PermalinkButton} step=${step} permalink=${permalink} tab=${tab} />` : null}
    </span>
  </div>`;
}

function PermalinkButton({ step, permalink, tab }) {
  const [isCopied, setCopied] = useState(false);
  const onClick = async (event) => {
    event.stopPropagation();
    if (!(await writeClipboard(permalink(step)))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<button type="button" tabindex=${tab} onClick=${onClick} aria-label=${isCopied ? 'Copied' : `Copy the link to step ${step.n}`} title="Copy link">
    <${ViewIcon} name=${isCopied ? 'check' : 'link'} />
  </button>`;
}

/** The sign is told by the text as well as by the colour. */
export function RewardChip({ reward }) {
  const tone = reward > 0 ? 'views-good' : reward < 0 ? 'views-bad' : 'views-plain';
  return html`<span class="views-chip ${tone}" title="Reward ${reward}">${signedText(reward, 4)}</span>`;
}
