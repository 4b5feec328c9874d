// What the environment logged during a step.

import { html, useId, useMemo, useState } from '../vendor/preact.js';
import { clockText, timeOfDayText } from '../episode/format.js';
import { textMatcher } from '../episode/timeline_rows.js';
import { ansiPieces, hasAnsi } from '../episode/ansi.js';
import { CopyButton } from '../part/copy_button.js';
import { keepScrollKeys } from './terminal_text.js';

const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'trace'];

function logLevel(level) {
  const name = String(level ?? 'info').toLowerCase();
  const known = { warning: 'warn', critical: 'error', fatal: 'error', stderr: 'warn', stdout: 'info', notset: 'trace' }[name] ?? name;
  return LOG_LEVELS.includes(known) ? known : 'info';
}

/** Servers give the time as seconds since 1970; files may give it since the start of the episode. */
function logTime(line) {
  if (typeof line.at !== 'number') return '';
  return line.at > 1e8 ? timeOfDayText(line.at) : clockText(line.at);
}

function logText(line) {
  const text = String(line.text ?? line.message ?? '');
  return hasAnsi(text) ? ansiPieces(text).map((piece) => piece.text).join('') : text;
}

export function LogsView({ step }) {
  const [least, setLeast] = useState('trace');
  const [query, setQuery] = useState('');
  const id = useId();
  const logs = step.logs ?? [];
  const matches = useMemo(() => textMatcher(query) ?? (() => false), [query]);
  const shown = logs.filter((line) => LOG_LEVELS.indexOf(logLevel(line.level)) <= LOG_LEVELS.indexOf(least) && matches(logText(line)));
  if (logs.length === 0) return html`<p class="inspector-none">Nothing was logged during this step.</p>`;
  return html`<div class="logs">
    <div class="logs-bar">
      <label class="views-hidden" for="${id}-level">Least level</label>
      <select id="${id}-level" value=${least} onChange=${(event) => setLeast(event.currentTarget.value)}>
        ${LOG_LEVELS.map((level) => html`<option value=${level}>${level === 'trace' ? 'all levels' : level === 'error' ? 'error' : `${level} and above`}</option>`)}
      </select>
      <label class="views-hidden" for="${id}-text">Filter logs</label>
      <input id="${id}-text" type="search" placeholder="Filter logs" value=${query} onInput=${(event) => setQuery(event.currentTarget.value)} />
      <span class="timeline-count" role="status">${shown.length} of ${logs.length}</span>
      <${CopyButton} text=${() => shown.map((line) => `${logTime(line)} ${logLevel(line.level)} ${logText(line)}`).join('\n')} label="Copy" />
    </div>
    <ol class="logs-list" tabindex="0" onKeyDown=${keepScrollKeys} aria-label="Log lines">${shown.map((line, at) => html`<li key=${at} class="logs-line logs-${logLevel(line.level)}">
      <time>${logTime(line)}</time><span class="logs-level">${logLevel(line.level)}</span><span class="logs-text">${logText(line)}</span>
    </li>`)}</ol>
  </div>`;
}
