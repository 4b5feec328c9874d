// Who uses the server right now.

import { html, useMemo, useRef, useState } from '../vendor/preact.js';
import { usePage, usePageState, usePolling } from '../part/context.js';
import { Empty, SearchInput, ageText } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { countText, numberText } from '../episode/format.js';
import { routeHash } from '../part/router.js';
import { RateMeter } from '../session/rate_meter.js';

const SESSIONS_SECONDS = 1;
const MOST_SESSION_ROWS = 200;
const ORIGINS = { websocket: 'WebSocket', http: 'HTTP', mcp: 'MCP' };

export function Sessions() {
  const { pageUrl, fetch } = usePage();
  const own = usePageState((state) => state.connection.session);
  const capacity = usePageState((state) => state.capacity);
  const [sessions, setSessions] = useState(null);
  const [problem, setProblem] = useState(null);
  const [search, setSearch] = useState('');
  const rates = useRef(new RateMeter());

  usePolling(async () => {
    try {
      const answer = await fetch(new URL('sessions', pageUrl));
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      const listed = await answer.json();
      rates.current.measure(listed, performance.now() / 1000);
      setSessions(listed);
      setProblem(null);
    } catch (error) {
      setProblem(error.message);
    }
  }, SESSIONS_SECONDS);

  const shown = useMemo(() => findSessions(sessions ?? [], search), [sessions, search]);
  const now = Date.now() / 1000;
  return html`<div class="page">
    <header class="page-head">
      <div><h1>Sessions</h1>
        <p class="muted">${sessions ? `${sessions.length} open${capacity?.maximum ? ` of ${capacity.maximum.toLocaleString('en')}` : ''}. Updated every second. Following one does not slow it down.` : 'Asking the server…'}</p></div>
      <span class="spacer"></span>
      ${sessions?.length > 5 && html`<${SearchInput} label="Search sessions" value=${search} onInput=${setSearch} />`}
    </header>
    ${problem && html`<div class="notice notice-bad" role="alert">The sessions could not be read: ${problem} Trying again.</div>`}
    ${sessions?.length === 0 && html`<${Empty} icon="sessions" title="Nobody is connected"><p>Sessions of trainers, agents and other tabs appear here while they are open.</p></${Empty}>`}
    ${shown.length > 0 && html`<div class="table-frame"><table class="table table-cards">
      <thead><tr>
        <th scope="col">Session</th><th scope="col">Origin</th><th scope="col">Open for</th><th scope="col" class="number">Steps</th><th scope="col" class="number">Steps/s</th>
        <th scope="col">Idle</th><th scope="col" class="number">Return</th><th scope="col">Episode</th><th scope="col"><span class="visually-hidden">Follow</span></th>
      </tr></thead>
      <tbody>${shown.slice(0, MOST_SESSION_ROWS).map((session) => html`<${SessionRow} key=${session.id} session=${session} now=${now} rate=${rates.current.rate(session.id)} isOwn=${isSameSession(session.id, own)} />`)}</tbody>
    </table></div>`}
    ${shown.length > MOST_SESSION_ROWS && html`<p class="muted page-more">The first ${MOST_SESSION_ROWS} of ${shown.length.toLocaleString('en')}. Search for the one you look for.</p>`}
  </div>`;
}

function SessionRow({ session, now, rate, isOwn }) {
  const { id, origin, peer, opened_at, idle_seconds, running, steps, tool_calls, episode } = session;
  return html`<tr>
    <th scope="row" data-label="Session"><span class="mono" title=${id}>${id.slice(0, 8)}</span> ${isOwn && html`<span class="chip chip-accent">this tab</span>`}</th>
    <td data-label="Origin">${ORIGINS[origin] ?? origin}${peer && html` <span class="muted mono">${peer}</span>`}</td>
    <td data-label="Open for">${ageText(now - opened_at)}</td>
    <td data-label="Steps" class="number">${steps.toLocaleString('en')}${tool_calls > 0 && html` <span class="muted nowrap">${countText(tool_calls, 'tool call')}</span>`}</td>
    <td data-label="Steps/s" class="number">${rate === null ? '–' : rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toFixed(1)}</td>
    <td data-label="Idle">${running ? html`<span class="chip chip-info"><span class="dot dot-pulse"></span>running</span>` : ageText(idle_seconds)}</td>
    <td data-label="Return" class="number">${episode ? numberText(episode.return) : '–'}</td>
    <td data-label="Episode">${episode ? html`<a href=${routeHash({ view: 'episode', key: episode.key })} class="mono" title="Open this episode">${String(episode.episode_id ?? episode.key).slice(0, 8)}</a>${episode.done && html` <span class="chip chip-good">done</span>`}${episode.errors > 0 && html` <span class="chip chip-bad">${countText(episode.errors, 'error')}</span>`}` : html`<span class="muted">none</span>`}</td>
    <td class="table-action">${episode && html`<a class="button button-small" href=${routeHash({ view: 'follow', key: episode.key })} aria-label=${`Follow session ${id.slice(0, 8)}`}><${Icon} name="follow" />Follow</a>`}</td>
  </tr>`;
}

// Session ids may come shortened.
function isSameSession(id, own) {
  return Boolean(own) && (own.startsWith(id) || id.startsWith(own));
}

function findSessions(sessions, search) {
  const text = search.trim().toLowerCase();
  if (!text) return sessions;
  return sessions.filter(({ id, origin, peer, episode }) => `${id} ${origin} ${peer ?? ''} ${episode?.episode_id ?? ''}`.toLowerCase().includes(text));
}
