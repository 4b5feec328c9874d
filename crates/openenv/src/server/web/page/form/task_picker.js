// Which task to start with: a split, the number of a task in it, and a look at it.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { FieldErrors, FormIcon, FormIconButton, SmallButton } from './form_parts.js';

const TASKS_AT_ONCE = 50;
const PREVIEW_DELAY_MS = 200;
const LONGEST_VALUE = 300;
// How a server says that an environment has no tasks after all.
const NO_TASKS = [404, 501];

/** What a promise comes to, asked again when `keys` change: `{ data, error, again }`. An answer that comes too late is dropped. */
function useAnswer(ask, keys, delay = 0) {
  const [answer, setAnswer] = useState({ data: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isStale = false;
    setAnswer({ data: null, error: null });
    const timer = setTimeout(async () => {
      try {
        const data = await ask();
        if (!isStale) setAnswer({ data, error: null });
      } catch (failure) {
        if (!isStale) setAnswer({ data: null, error: failure.message || 'no answer', status: failure.status });
      }
    }, delay);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [...keys, round]);
  return { ...answer, again: () => setRound(round + 1) };
}

/** `value` has `split` and `index` as typed. */
export function TaskPicker({ tasks, value, onChange, messages }) {
  const splits = useAnswer(() => tasks.splits(), [tasks]);
  const split = value.split ?? '';
  const counted = useAnswer(async () => (split === '' ? null : tasks.count(split)), [tasks, split]);
  const names = (splits.data ?? []).map((one) => (typeof one === 'string' ? { name: one } : one));
  const count = typeof counted.data === 'number' ? counted.data : null;
  const index = /^\d+$/.test(String(value.index ?? '').trim()) ? Number(value.index) : null;
  const isBeyond = index !== null && count !== null && index >= count;
  const go = (to) => onChange({ index: String(to) });
  const told = [...messages, ...(isBeyond ? [`\`index\` must be below ${count}: the split has ${count} tasks`] : [])];
  const wrap = (to) => (count ? (to + count) % count : Math.max(0, to));
  if (NO_TASKS.includes(splits.status)) return null;

  return html`<div class="form-tasks" role="group" aria-label="Task">
    <div class="form-reset-row">
      <div class="form-field">
        <div class="form-head"><label class="form-label" for="reset-split">Split</label><span class="form-type">${splits.data === null && !splits.error ? 'loading…' : ''}</span></div>
        <select id="reset-split" class="form-input form-select" value=${split} onChange=${(event) => onChange({ split: event.target.value, index: event.target.value === '' ? '' : value.index || '0' })}>
          <option value="">not chosen</option>
          ${names.map(({ name, type }) => html`<option key=${name} value=${name}>${type && type !== name ? `${name} (${type})` : name}</option>`)}
          ${split !== '' && !names.some(({ name }) => name === split) && html`<option value=${split}>${split}</option>`}
        </select>
        <${Failure} text="The splits did not come" answer=${splits} />
      </div>
      ${split !== '' && html`<div class=${told.length > 0 ? 'form-field form-wrong' : 'form-field'}>
        <div class="form-head"><label class="form-label" for="reset-index">Task</label><span class="form-type">${count === null ? '' : `of ${count.toLocaleString('en')}, from 0`}</span></div>
        <div class="form-beside">
          <${FormIconButton} icon="before" label="Previous task" disabled=${count === 0} onClick=${() => go(wrap((index ?? 1) - 1))} />
          <input id="reset-index" class="form-input form-number" inputmode="numeric" autocomplete="off" value=${value.index ?? ''} aria-invalid=${told.length > 0 || undefined} aria-describedby="reset-index-errors"
            onInput=${(event) => onChange({ index: event.target.value })} />
          <${FormIconButton} icon="after" label="Next task" disabled=${count === 0} onClick=${() => go(wrap((index ?? -1) + 1))} />
          <${FormIconButton} icon="dice" label="Random task" disabled=${!count} onClick=${() => go(Math.floor(Math.random() * count))} />
        </div>
        <${FieldErrors} id="reset-index-errors" messages=${told} />
        <${Failure} text="The number of tasks did not come" answer=${counted} />
      </div>`}
    </div>
    ${split !== '' && index !== null && !isBeyond && html`<${TaskPreview} tasks=${tasks} split=${split} index=${index} />`}
    ${split !== '' && count > 1 && html`<${TaskBrowser} key=${split} tasks=${tasks} split=${split} count=${count} index=${index} onPick=${go} />`}
  </div>`;
}

function Failure({ text, answer }) {
  if (!answer.error) return null;
  return html`<p class="form-error" role="alert"><${FormIcon} name="problem" /><span>${text}: ${answer.error}</span><${SmallButton} onClick=${answer.again}>Try again<//></p>`;
}

function TaskPreview({ tasks, split, index }) {
  const { data, error } = useAnswer(() => tasks.range(split, index, index + 1), [tasks, split, index], PREVIEW_DELAY_MS);
  const task = data?.[0];
  if (error) return html`<p class="form-hint">This task cannot be shown: ${error}</p>`;
  if (task === undefined) return html`<p class="form-hint form-task-waits">${data ? 'There is no such task.' : 'Loading the task…'}</p>`;
  const parts = typeof task === 'object' && task !== null && !Array.isArray(task) ? Object.entries(task) : [['task', task]];
  return html`<dl class="form-task" aria-label=${`Task ${index} of ${split}`}>
    ${parts.map(([name, part]) => html`<div key=${name}><dt>${name}</dt><dd>${shortened(part)}</dd></div>`)}
  </dl>`;
}

function shortened(part) {
  const text = typeof part === 'string' ? part : JSON.stringify(part);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

function TaskBrowser({ tasks, split, count, index, onPick }) {
  const [isOpen, setOpen] = useState(false);
  const [loaded, setLoaded] = useState([]);
  const [failure, setFailure] = useState(null);
  const [sought, setSought] = useState('');
  const isLoading = useRef(false);
  const load = async () => {
    if (isLoading.current || loaded.length >= count) return;
    isLoading.current = true;
    try {
      const more = await tasks.range(split, loaded.length, Math.min(count, loaded.length + TASKS_AT_ONCE));
      setFailure(null);
      setLoaded((before) => [...before, ...more]);
    } catch (error) {
      setFailure(error.message || 'no answer');
    }
    isLoading.current = false;
  };
  const toggle = (open) => {
    setOpen(open);
    if (open && loaded.length === 0) load();
  };
  const words = sought.trim().toLowerCase();
  const found = loaded.map((task, at) => ({ at, text: taskLine(task) })).filter(({ text }) => text.toLowerCase().includes(words));
  return html`<details class="form-more" open=${isOpen} onToggle=${(event) => toggle(event.currentTarget.open)}>
    <summary><${FormIcon} name="fold" /><span>Browse tasks</span></summary>
    ${isOpen && html`<div class="form-more-body">
      <input class="form-input" type="search" aria-label="Search in the tasks that are loaded" placeholder=${`Search in the first ${loaded.length} of ${count}`} value=${sought} onInput=${(event) => setSought(event.target.value)}
        onKeyDown=${(event) => { if (event.key === 'Enter') { event.preventDefault(); if (found.length > 0) onPick(found[0].at); } }} />
      <ul class="form-task-list" aria-label="Tasks">
        ${found.map(({ at, text }) => html`<li key=${at}><button type="button" class="form-task-line" aria-pressed=${at === index} onClick=${() => onPick(at)}><span class="form-item-number">${at}</span><span>${text}</span></button></li>`)}
      </ul>
      ${found.length === 0 && loaded.length > 0 && html`<p class="form-hint">None of the ${loaded.length} loaded tasks has “${sought}”.</p>`}
      ${failure && html`<p class="form-error" role="alert"><${FormIcon} name="problem" /><span>The tasks did not come: ${failure}</span></p>`}
      ${loaded.length < count && html`<${SmallButton} onClick=${load}>${loaded.length === 0 ? 'Load tasks' : `Load ${Math.min(TASKS_AT_ONCE, count - loaded.length)} more`}<//>`}
    </div>`}
  </details>`;
}

function taskLine(task) {
  const text = typeof task === 'string' ? task : JSON.stringify(task);
  return text.slice(0, 200);
}
