// The episodes that the server keeps, and those from files.

import { html, useMemo, useRef, useState } from '../vendor/preact.js';
import { usePage, usePageState, usePolling } from '../part/context.js';
import { Empty, IconButton, SearchInput, ageText } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { bytesText, countText, numberText } from '../episode/format.js';
import { routeHash } from '../part/router.js';
import { importEpisodes } from '../episode/import.js';

const EPISODES_SECONDS = 3;
const ROWS_AT_ONCE = 200;
const FILE_KEY = 'file-';
let filesRead = 1;
const COLUMNS = [
  { by: 'started_at', label: 'Started', first: -1 },
  { by: 'length', label: 'Length', first: -1, number: true },
  { by: 'return', label: 'Return', first: -1, number: true },
  { by: 'errors', label: 'Errors', first: -1, number: true },
];

export function Episodes() {
  const { pageUrl, fetch, navigate } = usePage();
  const files = usePageState((state) => state.files);
  const about = usePageState((state) => state.about);
  const ownKey = usePageState((state) => state.own?.key);
  const [kept, setKept] = useState(null);
  const [problem, setProblem] = useState(null);
  const [search, setSearch] = useState('');
  const [order, setOrder] = useState({ by: 'started_at', direction: -1 });
  const [ticked, setTicked] = useState([]);
  const [rows, setRows] = useState(ROWS_AT_ONCE);

  usePolling(async () => {
    try {
      const answer = await fetch(new URL('episodes', pageUrl));
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      setKept(await answer.json());
      setProblem(null);
    } catch (error) {
      setProblem(error.message);
    }
  }, EPISODES_SECONDS);

  const found = useMemo(() => sortEpisodes(findEpisodes([...files, ...(kept ?? [])], search), order), [files, kept, search, order]);
  // The third that is ticked takes the place of the first.
  const tick = (key, on) => setTicked((before) => (on ? [...before, key].slice(-2) : before.filter((other) => other !== key)));
  const nothing = kept && kept.length === 0 && files.length === 0;

  return html`<${DropTarget}><div class="page">
    <header class="page-head">
      <div><h1>Episodes</h1><p class="muted">${keepText(about.keep, kept)}</p></div>
      <span class="spacer"></span>
      ${!nothing && html`<${SearchInput} label="Search episodes" value=${search} onInput=${setSearch} />`}
      <${LoadButton} />
      <button type="button" class="button button-primary" disabled=${ticked.length !== 2} title=${ticked.length === 2 ? 'Compare side by side' : 'Tick two episodes to compare them'}
        onClick=${() => navigate({ view: 'compare', left: ticked[0], right: ticked[1] })}><${Icon} name="compare" />Compare${ticked.length > 0 ? ` (${ticked.length}/2)` : ''}</button>
    </header>
    ${problem && html`<div class="notice notice-bad" role="alert">The episodes could not be read: ${problem} Trying again.</div>`}
    ${nothing && html`<${Empty} icon="episodes" title="No episodes yet">
      <p>Every episode that is played, by hand or by a trainer, is kept here for a while. A JSONL file can be dropped here as well.</p></${Empty}>`}
    ${!nothing && found.length === 0 && kept && html`<${Empty} icon="search" title="Nothing found"><p>No episode matches “${search}”.</p></${Empty}>`}
    ${found.length > 0 && html`<div class="table-frame"><table class="table table-cards">
      <thead><tr>
        <th scope="col"><span class="visually-hidden">Compare</span></th><th scope="col">Episode</th>
        ${COLUMNS.map((column) => html`<${SortHeader} key=${column.by} column=${column} order=${order} onOrder=${setOrder} />`)}
        <th scope="col">State</th><th scope="col">Session</th><th scope="col"><span class="visually-hidden">Actions</span></th>
      </tr></thead>
      <tbody>${found.slice(0, rows).map((episode) => html`<${EpisodeRow} key=${episode.key} episode=${episode} isOwn=${episode.key === ownKey} ticked=${ticked.includes(episode.key)} onTick=${tick} />`)}</tbody>
    </table></div>`}
    ${found.length > rows && html`<p class="page-more"><button type="button" class="button" onClick=${() => setRows(rows + ROWS_AT_ONCE)}>Show more of ${countText(found.length, 'episode')}</button></p>`}
  </div></${DropTarget}>`;
}

function SortHeader({ column, order, onOrder }) {
  const active = order.by === column.by;
  const sort = () => onOrder({ by: column.by, direction: active ? -order.direction : column.first });
  return html`<th scope="col" class=${column.number ? 'number' : ''} aria-sort=${active ? (order.direction > 0 ? 'ascending' : 'descending') : undefined}>
    <button type="button" class="sort" onClick=${sort}>${column.label}${active ? (order.direction > 0 ? ' ↑' : ' ↓') : ''}</button>
  </th>`;
}

function EpisodeRow({ episode, isOwn, ticked, onTick }) {
  const { store } = usePage();
  const { key, episode_id, session, origin, started_at, length, errors, done, live, dropped, source } = episode;
  const name = String(episode_id ?? key);
  const open = routeHash({ view: 'episode', key });
  return html`<tr>
    <td class="table-tick"><input type="checkbox" aria-label=${`Compare episode ${name}`} checked=${ticked} onChange=${(event) => onTick(key, event.target.checked)} /></td>
    <th scope="row" data-label="Episode"><a href=${open} class="mono episodes-name" title=${name}>${name.length > 20 ? `${name.slice(0, 8)}…${name.slice(-4)}` : name}</a>
      ${isOwn && html` <span class="chip chip-accent">this tab</span>`}${source === 'file' && html` <span class="chip">file</span>`}</th>
    <td data-label="Started" title=${started_at ? new Date(started_at * 1000).toLocaleString() : ''}>${started_at ? agoText(started_at) : '–'}</td>
    <td data-label="Length" class="number" title="The reset counts as well">${(length ?? 0).toLocaleString('en')}${dropped > 0 && html` <span class="muted" title="Earlier steps that are no longer kept">(${dropped.toLocaleString('en')} gone)</span>`}</td>
    <td data-label="Return" class=${`number ${episode.return > 0 ? 'figure-good' : episode.return < 0 ? 'figure-bad' : ''}`}>${numberText(episode.return)}</td>
    <td data-label="Errors" class=${`number ${errors > 0 ? 'figure-bad' : 'muted'}`}>${errors ?? 0}</td>
    <td data-label="State">${done ? html`<span class="chip chip-good">done</span>` : live ? html`<span class="chip chip-info"><span class="dot"></span>running</span>` : html`<span class="chip">ended</span>`}</td>
    <td data-label="Session"><span class="mono muted">${session}</span> <span class="muted">${origin}</span></td>
    <td class="table-action">
      ${live && source !== 'file' && html`<a class="button button-small" href=${routeHash({ view: 'follow', key })}><${Icon} name="follow" />Follow</a>`}
      ${source === 'file' && html`<${IconButton} icon="trash" label=${`Forget ${name}`} onClick=${() => store.dispatch({ type: 'fileForgotten', key })} />`}
      <a class="button button-small" href=${open} aria-label=${`Open episode ${name}`}>Open</a>
    </td>
  </tr>`;
}

// Reads files of episodes, whichever way they come in.
function useLoading() {
  const { store, toast, navigate } = usePage();
  return async (fileList) => {
    const loaded = [];
    for (const file of fileList) {
      try {
        const episodes = importEpisodes(await file.text());
        const { problems = [] } = episodes;
        loaded.push(...episodes.map((episode) => ({ ...episode, key: `${FILE_KEY}${filesRead++}`, source: 'file' })));
        if (problems.length > 0) toast(`${file.name}: ${problems.length === 1 ? `line ${problems[0].line}: ${problems[0].message}` : `${problems.length} lines could not be read, the first is ${problems[0].line}`}`, { kind: 'warn', seconds: 10 });
        else if (episodes.length === 0) toast(`${file.name} has no episodes in it.`, { kind: 'bad' });
      } catch (problem) {
        toast(`${file.name} could not be read: ${problem.message}`, { kind: 'bad' });
      }
    }
    if (loaded.length === 0) return;
    store.dispatch({ type: 'filesLoaded', episodes: loaded });
    if (loaded.length === 1) navigate({ view: 'episode', key: loaded[0].key });
    else toast(`Loaded ${countText(loaded.length, 'episode')}`, { kind: 'good' });
  };
}

function LoadButton() {
  const load = useLoading();
  const input = useRef(null);
  const onChange = (event) => {
    load([...event.target.files]);
    event.target.value = '';
  };
  return html`<button type="button" class="button" onClick=${() => input.current.click()}><${Icon} name="export" />Load file</button>
    <input ref=${input} type="file" class="visually-hidden" accept=".jsonl,.json,.ndjson,application/json" multiple aria-label="Load episodes from a JSONL file" tabindex="-1" onChange=${onChange} />`;
}

function DropTarget({ children }) {
  const load = useLoading();
  const [over, setOver] = useState(false);
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const onDragOver = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    load([...event.dataTransfer.files]);
  };
  return html`<div class=${`drop ${over ? 'drop-over' : ''}`} onDragOver=${onDragOver} onDragLeave=${(event) => event.currentTarget.contains(event.relatedTarget) || setOver(false)} onDrop=${onDrop}>
    ${children}
    ${over && html`<div class="drop-hint"><${Icon} name="export" />Drop JSONL files to look at them. They are not sent anywhere.</div>`}
  </div>`;
}

function agoText(started_at) {
  const age = ageText(Date.now() / 1000 - started_at);
  return age === 'now' ? 'just now' : `${age} ago`;
}

function keepText(keep, kept) {
  const count = kept ? `${countText(kept.length, 'episode')} kept` : 'Asking the server…';
  if (!keep) return 'This server keeps no episodes. Files can be loaded.';
  const time = keep.seconds ? ` for ${ageText(keep.seconds)} after the last step` : '';
  return `${count}${kept ? `${time}, up to ${bytesText(keep.bytes)} in all.` : ''}`;
}

export function isFileKey(key) {
  return key.startsWith(FILE_KEY);
}

export function findEpisodes(episodes, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return episodes;
  return episodes.filter((episode) => {
    const state = episode.done ? 'done' : episode.live ? 'running' : 'ended';
    const text = `${episode.episode_id} ${episode.key} ${episode.session} ${episode.origin} ${state} ${episode.errors > 0 ? 'errors' : ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function sortEpisodes(episodes, { by, direction }) {
  return [...episodes].sort((a, b) => direction * ((a[by] ?? 0) - (b[by] ?? 0)) || (b.started_at ?? 0) - (a.started_at ?? 0));
}
