// The bar at the top: which environment this is, where you are, and how the server is doing.

import { html } from '../vendor/preact.js';
import { usePage, usePageState } from './context.js';
import { Icon } from './icon.js';
import { IconButton } from './parts.js';
import { routeHash, routeTab } from './router.js';
import { connectionText } from '../session/connection_text.js';

export const PAGE_TABS = [
  { view: 'play', label: 'Play', icon: 'play', key: 'p' },
  { view: 'tools', label: 'Tools', icon: 'tools', key: 't' },
  { view: 'sessions', label: 'Sessions', icon: 'sessions', key: 's' },
  { view: 'episodes', label: 'Episodes', icon: 'episodes', key: 'e' },
  { view: 'docs', label: 'Docs', icon: 'docs', key: 'd' },
];

const THEMES = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' };
const PHASES = {
  connecting: ['', 'Connecting'],
  open: ['chip-good', 'Connected'],
  lost: ['chip-bad', 'Offline'],
  ended: ['chip-warn', 'Session ended'],
  full: ['chip-warn', 'Server full'],
  failed: ['chip-bad', 'No session'],
  idle: ['', 'Looking'],
};

export function TopBar({ route, onHelp }) {
  const { store } = usePage();
  const about = usePageState((state) => state.about);
  const theme = usePageState((state) => state.theme);
  const production = about.mode === 'production';
  const tab = routeTab(route);
  return html`<header class="bar">
    <div class="bar-name">
      <svg class="bar-mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" /><path d="M22.5 11.5a8 8 0 1 0 1.4 6.6" /><circle cx="16" cy="16" r="2.6" />
      </svg>
      <${EnvironmentName} about=${about} />
      ${production && html`<span class="chip chip-warn" title="This server is for agents that call tools: there is no reset, step or state">production</span>`}
    </div>
    <nav class="bar-tabs" aria-label="Views">
      ${PAGE_TABS.filter(({ view }) => !(production && view === 'play')).map(({ view, label, icon, key }) => html`<a key=${view} class="tab"
        href=${routeHash({ view })} aria-current=${tab === view ? 'page' : undefined} title=${`${label} (g ${key})`}><${Icon} name=${icon} /><span>${label}</span></a>`)}
    </nav>
    <div class="bar-state">
      <${Capacity} />
      <${ConnectionChip} />
      <${IconButton} small=${false} icon=${THEME_ICONS[theme]} label=${`Theme: ${theme}. Switch to ${THEMES[theme]}`}
        onClick=${() => store.dispatch({ type: 'themeChosen', theme: THEMES[theme] })} />
      <${IconButton} small=${false} icon="help" label="Keys (?)" onClick=${onHelp} />
    </div>
  </header>`;
}

function EnvironmentName({ about }) {
  if (about.environments.length < 2) return html`<h1 title=${about.metadata?.version ? `${about.name} ${about.metadata.version}` : about.name}>${about.name}</h1>`;
  const go = (event) => {
    // The page is at `/web/` or at `/envs/NAME/web/`; both have the others beside them.
    const root = location.pathname.replace(/(envs\/[^/]+\/)?web\/?$/, '');
    location.href = `${root}envs/${encodeURIComponent(event.target.value)}/web/`;
  };
  return html`<h1 class="visually-hidden">${about.name}</h1>
    <select class="select bar-select" aria-label="Environment" value=${about.name} onChange=${go}>
      ${about.environments.map((name) => html`<option value=${name} key=${name}>${name}</option>`)}
    </select>`;
}

function ConnectionChip() {
  const connection = usePageState((state) => state.connection);
  const { connection: line } = usePage();
  const [kind, label] = PHASES[connection.phase];
  const isWell = ['open', 'connecting', 'idle'].includes(connection.phase);
  const inside = html`<span class=${`dot ${connection.phase === 'open' || connection.phase === 'idle' ? '' : 'dot-pulse'}`}></span><span class="bar-connection-text">${label}</span>`;
  return html`<span role="status">${isWell
    ? html`<span class=${`chip ${kind} bar-connection`} title=${connection.session ? `Session ${connection.session}` : connectionText(connection)}>${inside}</span>`
    : html`<button type="button" class=${`chip ${kind} bar-connection`} title=${`${connectionText(connection)} Press to try again.`} onClick=${() => line.retryNow()}>${inside}</button>`}</span>`;
}

function Capacity() {
  const capacity = usePageState((state) => state.capacity);
  if (!capacity || !capacity.maximum) return null;
  const { active, maximum, waiting } = capacity;
  const share = Math.min(1, active / maximum);
  const text = `${active.toLocaleString('en')} of ${maximum.toLocaleString('en')} sessions in use${waiting ? `, ${waiting} waiting` : ''}`;
  return html`<a class="bar-capacity" href="#/sessions" title=${text} aria-label=${text}>
    <span class="gauge" aria-hidden="true"><span class=${share > 0.9 ? 'gauge-full' : ''} style=${`width:${Math.max(share * 100, active > 0 ? 4 : 0)}%`}></span></span>
    <span aria-hidden="true">${active.toLocaleString('en')}<span class="muted"> / ${maximum >= 10_000 ? `${Math.round(maximum / 1000)}k` : maximum.toLocaleString('en')}</span></span>
  </a>`;
}
