// The page: what it is made of, and how it starts.

import { html, render, useEffect, useErrorBoundary, useMemo, useRef, useState } from './vendor/preact.js';
import { Connection, claimWithLock } from './session/connection.js';
import { PageContext, usePage, usePageKeys, usePageState, usePolling } from './part/context.js';
import { contractKey } from './session/contract_key.js';
import { createStore } from './session/store.js';
import { OwnSession } from './session/own_session.js';
import { KeyReader } from './part/keys.js';
import { parseRoute, routeHash, routeNeedsSession, routeTab } from './part/router.js';
import { keepDrafts, keepTheme } from './session/keeping.js';
import { TopBar, PAGE_TABS } from './part/top_bar.js';
import { Toasts, showToast } from './part/toasts.js';
import { Empty } from './part/parts.js';
import { Play } from './tab/play.js';
import { Tools } from './tab/tools.js';
import { Sessions } from './tab/live.js';
import { Follow } from './tab/follow.js';
import { Episodes } from './tab/episodes.js';
import { EpisodePage, ComparePage } from './tab/episode_page.js';
import { Docs } from './tab/docs.js';
import { Help } from './tab/help.js';

const CAPACITY_SECONDS = 5;

function App() {
  const { store, connection, pageUrl, fetch, keys, loadAbout } = usePage();
  const wasAway = useRef(false);
  const about = usePageState((state) => state.about);
  const problem = usePageState((state) => state.aboutProblem);
  const route = useRoute(about);
  const [help, setHelp] = useState(false);
  const goes = Object.fromEntries(PAGE_TABS.map(({ view, key }) => [`g ${key}`, () => (location.hash = routeHash({ view }))]));
  usePageKeys({ ...goes, '?': () => setHelp(true) });
  usePressedKeys(keys);
  useEffect(() => connection.need(routeNeedsSession(route)), [route]);

  usePolling(async () => {
    if (store.get().about && !wasAway.current) {
      const capacity = await fetchJson(fetch, new URL('../capacity', pageUrl)).catch(() => null);
      if (capacity) store.dispatch({ type: 'capacityKnown', capacity });
      wasAway.current = !capacity;
      if (!capacity) await connection.check();
      return;
    }
    wasAway.current = !(await loadAbout());
  }, CAPACITY_SECONDS);

  useEffect(() => {
    const tab = PAGE_TABS.find(({ view }) => view === routeTab(route));
    if (about) document.title = `${tab.label} · ${about.name} · OpenEnv`;
  }, [about, route]);

  if (!about) {
    if (!problem) return html`<p class="boot" role="status">Loading…</p>`;
    return html`<${Empty} icon="warning" title="The server does not answer"><p>${problem} It is asked again every few seconds.</p></${Empty}>`;
  }
  return html`<${TopBar} route=${route} onHelp=${() => setHelp(true)} />
    <main class=${`main main-${route.view}`} id="main"><${View} key=${viewKey(route)} route=${route} /></main>
    <${Toasts} />
    ${help && html`<${Help} onClose=${() => setHelp(false)} production=${about.mode === 'production'} />`}`;
}

function View({ route }) {
  const [error, forget] = useErrorBoundary((problem) => console.error(problem));
  if (error) {
    return html`<${Empty} icon="warning" title="This view broke">
      <p>${String(error.message ?? error)}</p>
      <button type="button" class="button" onClick=${forget}>Show it again</button>
    </${Empty}>`;
  }
  switch (route.view) {
    case 'play': return html`<${Play} />`;
    case 'tools': return html`<${Tools} chosen=${route.tool} />`;
    case 'sessions': return html`<${Sessions} />`;
    case 'follow': return html`<${Follow} episodeKey=${route.key} />`;
    case 'episodes': return html`<${Episodes} />`;
    case 'episode': return html`<${EpisodePage} episodeKey=${route.key} step=${route.step} />`;
    case 'compare': return html`<${ComparePage} left=${route.left} right=${route.right} />`;
    default: return html`<${Docs} />`;
  }
}

// Another step of the same episode is the same view, as is the next episode of a session.
function viewKey(route) {
  return ['tools', 'follow'].includes(route.view) ? route.view : routeHash({ ...route, step: null });
}

function useRoute(about) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    window.addEventListener('hashchange', update);
    return () => window.removeEventListener('hashchange', update);
  }, []);
  return useMemo(() => {
    const first = about?.mode === 'production' ? 'tools' : 'play';
    const route = parseRoute(hash) ?? { view: first };
    return route.view === 'play' && first === 'tools' ? { view: first } : route;
  }, [hash, about]);
}

function usePressedKeys(keys) {
  useEffect(() => {
    const reader = new KeyReader();
    const onKeyDown = (event) => {
      if (event.key === 'Escape' && event.target.matches?.('input, textarea, select') && !event.defaultPrevented) event.target.blur();
      const name = reader.read(event);
      if (!name) return;
      for (let at = keys.length - 1; at >= 0; at -= 1) {
        const handle = keys[at](name);
        if (!handle) continue;
        event.preventDefault();
        handle();
        return;
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [keys]);
}

async function fetchJson(fetch, url) {
  const answer = await fetch(url).catch(() => {
    throw new Error('The server cannot be reached.');
  });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
}

function lossText(reason) {
  if (/^Unknown session_id/.test(reason)) return 'the server no longer has it';
  return reason.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function startPage() {
  const pageUrl = new URL(location.pathname, location.origin).href;
  const inTab = (name) => `openenv:${location.pathname}:${name}`;
  const ask = (...request) => window.fetch(...request);
  const store = createStore();
  const connection = new Connection({
    pageUrl, storageKey: inTab('session'), storage: sessionStorage, fetch: ask, Socket: WebSocket,
    claim: (name) => claimWithLock(name, navigator.locks), isVisible: () => !document.hidden,
  });
  const memory = {
    get: () => sessionStorage.getItem(inTab('episode')),
    set: (key) => sessionStorage.setItem(inTab('episode'), key),
  };
  const session = new OwnSession({ connection, store, pageUrl, fetch: ask, memory });
  const toast = (text, options) => showToast(store, text, options);
  keepTheme(store, localStorage);
  keepDrafts(store, sessionStorage, inTab('drafts'));

  // A server that was away may have come back with another environment.
  const loadAbout = async () => {
    const before = store.get().about;
    try {
      const about = await fetchJson(ask, new URL('about', pageUrl));
      store.dispatch({ type: 'aboutLoaded', about });
      if (before && contractKey(before) !== contractKey(about)) {
        toast(before.name === about.name ? `The actions of ${about.name} are others now.` : `The server has another environment now: ${about.name}.`, { kind: 'warn', seconds: 12 });
      }
      return true;
    } catch (error) {
      store.dispatch({ type: 'aboutFailed', message: error.message });
      return false;
    }
  };
  let wasLost = false;
  connection.addEventListener('status', ({ detail }) => {
    if (detail.phase === 'lost' || detail.phase === 'ended') wasLost = true;
    if (detail.phase === 'open' && wasLost) {
      wasLost = false;
      loadAbout();
    }
    if (detail.phase === 'ended') store.dispatch({ type: 'sessionOver' });
    store.dispatch({ type: 'connectionChanged', connection: detail });
  });
  connection.addEventListener('attached', ({ detail }) => session.restore(detail));
  connection.addEventListener('renewed', ({ detail }) => {
    toast(`Your session ended: ${lossText(detail.reason)}. A new one is ready; reset to start an episode.`, { kind: 'warn', seconds: 12 });
  });
  window.addEventListener('online', () => connection.retryNow());
  // A server on this machine is there without a network, too.
  window.addEventListener('offline', () => connection.check());
  document.addEventListener('visibilitychange', () => document.hidden || connection.retryNow());
  connection.need(routeNeedsSession(parseRoute(location.hash)));
  connection.start();

  const page = {
    store, connection, session, pageUrl, fetch: ask, toast, loadAbout, keys: [],
    navigate: (route) => { location.hash = routeHash(route); },
  };
  const root = document.getElementById('app');
  root.replaceChildren();
  render(html`<${PageContext.Provider} value=${page}><${App} /></${PageContext.Provider}>`, root);
}

startPage();
