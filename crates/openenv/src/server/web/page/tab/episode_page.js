// An episode at its own address, and two of them side by side.

import { html, useEffect, useState } from '../vendor/preact.js';
import { usePage, usePageState } from '../part/context.js';
import { Empty } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { connectionText } from '../session/connection_text.js';
import { fetchEpisode } from '../session/own_session.js';
import { EpisodeBadge, EpisodePane } from './episode_pane.js';
import { StepPane } from './step_pane.js';
import { countText } from '../episode/format.js';
import { Compare } from '../view/compare.js';
import { routeHash } from '../part/router.js';
import { isFileKey } from './episodes.js';
import { useEditing } from './play.js';

export function EpisodePage({ episodeKey, step }) {
  const { navigate } = usePage();
  const { episode, problem } = useEpisode(episodeKey);
  const edit = useEditing();
  if (problem) return html`<${EpisodeMissing} problem=${problem} />`;
  if (!episode) return html`<p class="boot" role="status">Loading the episode…</p>`;
  const select = (n) => {
    const last = episode.steps.at(-1)?.n;
    location.replace(routeHash({ view: 'episode', key: episodeKey, step: n ?? last }));
  };
  return html`<div class="viewer">
    <${EpisodePane} episode=${episode} selected=${step} onSelect=${select} onEdit=${edit} title=${shortName(episode)} badge=${html`<${EpisodeBadge} episode=${episode} />`}>
      <${EpisodeFacts} episode=${episode} onCompare=${(other) => navigate({ view: 'compare', left: episodeKey, right: other })} />
    </${EpisodePane}>
    <${StepPane} episode=${episode} selected=${step} onSelect=${select} onEdit=${edit} />
  </div>`;
}

function EpisodeFacts({ episode, onCompare }) {
  const { session, connection, toast, store } = usePage();
  const own = usePageState((state) => state.own);
  const running = usePageState((state) => state.running);
  const phase = usePageState((state) => state.connection.phase);
  const production = usePageState((state) => state.about.mode === 'production');
  const isOwn = own && own.key === episode.key;
  const replay = async () => {
    if (!(await connection.opened())) {
      toast(`Not replayed. ${connectionText(connection.status)}`, { kind: 'bad' });
      return;
    }
    const done = await session.replay(episode);
    if (!done) return;
    const { made, problem } = done;
    const parted = episode.steps.find((one, at) => made[at] && JSON.stringify(one.reply) !== JSON.stringify(made[at].reply));
    const outcome = parted ? `The answers part at step ${parted.n}.` : made.length > 0 ? 'Every answer was the same.' : '';
    const told = problem === null ? 'Replayed.' : `Cut short after ${made.length} of ${countText(episode.steps.length, 'step')}: ${problem.replace(/\.$/, '')}.`;
    toast(`${told} ${outcome}`.trim(), { kind: parted || problem !== null ? 'warn' : 'good', seconds: 8 });
    const replayed = store.get().own;
    if (made.length > 0 && replayed?.key) onCompare(replayed.key);
  };
  return html`<div class="follow-bar">
    ${isOwn && !production && html`<a class="button button-small" href="#/play"><${Icon} name="play" />Play on</a>`}
    ${episode.live && !isOwn && episode.source !== 'file' && html`<a class="button button-small" href=${routeHash({ view: 'follow', key: episode.key })}><${Icon} name="follow" />Follow</a>`}
    ${!production && html`<button type="button" class="button button-small" disabled=${Boolean(running) || !['open', 'idle'].includes(phase) || episode.steps.length === 0 || episode.dropped > 0}
      title=${episode.dropped > 0 ? 'The first steps are no longer kept' : 'Does the same in the session of this tab, and compares'} onClick=${replay}><${Icon} name="repeat" />${running ? 'Replaying…' : 'Replay and compare'}</button>`}
    <span class="spacer"></span>
    <span class="muted">${[episode.session, episode.origin].filter(Boolean).join(' · ')}</span>
  </div>`;
}

export function ComparePage({ left, right }) {
  const one = useEpisode(left);
  const other = useEpisode(right);
  const problem = one.problem ?? other.problem;
  if (problem) return html`<${EpisodeMissing} problem=${problem} />`;
  if (!one.episode || !other.episode) return html`<p class="boot" role="status">Loading both episodes…</p>`;
  return html`<div class="page page-wide">
    <header class="page-head">
      <h1>Compare</h1><span class="spacer"></span>
      <a class="button" href=${routeHash({ view: 'compare', left: right, right: left })}><${Icon} name="compare" />Swap</a>
      <a class="button" href="#/episodes">All episodes</a>
    </header>
    <${Compare} left=${one.episode} right=${other.episode} />
  </div>`;
}

function EpisodeMissing({ problem }) {
  return html`<${Empty} icon="episodes" title="This episode cannot be shown">
    <p>${problem}</p><a class="button" href="#/episodes">See the episodes that there are</a>
  </${Empty}>`;
}

// From this tab, from a file, or from the server.
function useEpisode(key) {
  const { pageUrl, fetch } = usePage();
  const local = usePageState((state) => (state.own?.key === key ? state.own : state.files.find((file) => file.key === key)) ?? null);
  const [loaded, setLoaded] = useState({ episode: null, problem: null });
  // The tab holds the newest steps only: an episode that it has not in full comes from the server.
  const inFull = local && (local.source === 'file' || local.dropped === 0);
  useEffect(() => {
    if (inFull) return undefined;
    if (isFileKey(key)) {
      setLoaded({ episode: null, problem: 'This file was not kept over the reload: load it again.' });
      return undefined;
    }
    let stale = false;
    setLoaded({ episode: null, problem: null });
    fetchEpisode(fetch, pageUrl, key).then(
      (episode) => stale || setLoaded({ episode, problem: null }),
      (error) => stale || setLoaded({ episode: null, problem: error.message }),
    );
    return () => { stale = true; };
  }, [key, Boolean(inFull)]);
  return inFull ? { episode: local, problem: null } : loaded.problem && local ? { episode: local, problem: null } : loaded;
}

function shortName(episode) {
  const name = String(episode.episode_id ?? episode.key);
  return name.length > 18 ? `${name.slice(0, 8)}…` : name;
}
