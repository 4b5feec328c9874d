// Looks over the shoulder of a session, from episode to episode, without touching it.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { usePage, usePolling } from '../part/context.js';
import { Empty } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { countText } from '../episode/format.js';
import { EpisodeBadge, EpisodePane } from './episode_pane.js';
import { StepPane } from './step_pane.js';
import { useEditing } from './play.js';
import { withNews } from '../session/followed.js';
import { routeHash } from '../part/router.js';

const RETRY_MS = 2000;
const NEXT_SECONDS = 1;

export function Follow({ episodeKey }) {
  const [paused, setPaused] = useState(false);
  const [drawing, setDrawing] = useState(false);
  const [selected, setSelected] = useState(null);
  const { episode, phase, skipped } = useFollowed(episodeKey, { paused, drawing, selected });
  const next = useNextEpisode(episode, phase === 'ended');
  const edit = useEditing();
  const goOn = () => {
    setSelected(null);
    if (next) location.replace(routeHash({ view: 'follow', key: next }));
  };
  useEffect(() => {
    // Who looks at a step is not taken away from it.
    if (next && selected === null && !paused) goOn();
  }, [next, selected, paused]);

  const empty = phase === 'gone'
    ? html`<${Empty} icon="sessions" title="There is nothing to follow"><p>The episode has ended and is no longer kept.</p><a class="button" href="#/sessions">See who is connected</a></${Empty}>`
    : html`<${Empty} icon="follow" title="Waiting for the first step"><p>Steps appear as the session takes them.</p></${Empty}>`;

  return html`<div class="viewer">
    <${EpisodePane} episode=${episode} selected=${selected} onSelect=${setSelected} onEdit=${edit} title=${`Session ${episode?.session ?? ''}`}
      badge=${html`<${FollowBadge} phase=${phase} paused=${paused} episode=${episode} />`}>
      <div class="follow-bar">
        <button type="button" class="button button-small" aria-pressed=${paused} onClick=${() => setPaused(!paused)}>
          <${Icon} name=${paused ? 'play' : 'pause'} />${paused ? 'Go on' : 'Pause'}
        </button>
        <label class="row" title="Asks the environment to draw itself, up to twice a second">
          <input type="checkbox" checked=${drawing} onChange=${(event) => setDrawing(event.target.checked)} /> Rendering
        </label>
        <span class="spacer"></span>
        ${selected !== null && html`<button type="button" class="button button-small button-primary" onClick=${goOn}>${next ? 'Next episode' : 'Follow newest'}</button>`}
      </div>
      ${drawing && html`<p class="follow-note muted">The environment is asked to draw itself, at most twice a second.</p>`}
      ${skipped > 0 && html`<p class="follow-note muted">${countText(skipped, 'step')} went by too fast to be shown.</p>`}
    </${EpisodePane}>
    <${StepPane} episode=${episode} selected=${selected} onSelect=${setSelected} onEdit=${edit} empty=${empty} keepRendering=${drawing} />
  </div>`;
}

function FollowBadge({ phase, paused, episode }) {
  if (phase === 'ended') return html`<${EpisodeBadge} episode=${episode} over />`;
  if (phase === 'lost') return html`<span class="chip chip-bad"><span class="dot dot-pulse"></span>reconnecting</span>`;
  if (paused) return html`<span class="chip chip-warn">paused</span>`;
  return html`<span class="chip chip-info"><span class="dot dot-pulse"></span>live</span>`;
}

function useFollowed(key, { paused, drawing, selected }) {
  const { pageUrl } = usePage();
  const [followed, setFollowed] = useState({ episode: null, phase: 'connecting', skipped: 0 });
  const position = useRef({ key, next: 0 });
  const looked = useRef(null);
  looked.current = selected;

  useEffect(() => {
    if (paused) return undefined;
    if (position.current.key !== key) position.current = { key, next: 0 };
    const url = new URL(`episodes/${encodeURIComponent(key)}/follow`, pageUrl);
    if (drawing) url.searchParams.set('view', 1);
    let source = null;
    let timer = null;
    const open = () => {
      // The browser would connect again by itself, but from the start.
      url.searchParams.set('from', position.current.next);
      source = new EventSource(url);
      source.onmessage = (event) => {
        const news = JSON.parse(event.data);
        const last = news.steps.at(-1);
        if (last) position.current.next = last.n + 1;
        setFollowed((before) => withNews(before, news, looked.current));
      };
      source.addEventListener('end', () => {
        source.close();
        setFollowed((before) => ({ ...before, phase: 'ended', episode: before.episode && { ...before.episode, live: false } }));
      });
      source.onerror = () => {
        source.close();
        setFollowed((before) => ({ ...before, phase: before.episode ? 'lost' : 'gone' }));
        timer = setTimeout(open, RETRY_MS);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [key, paused, drawing, pageUrl]);
  return followed;
}

// The key of the episode that the session of one that is over went on with; null as long as there is none.
function useNextEpisode(episode, isOver) {
  const { pageUrl, fetch } = usePage();
  const [next, setNext] = useState(null);
  usePolling(async () => {
    if (!isOver || !episode) return;
    const sessions = await fetch(new URL('sessions', pageUrl)).then((answer) => answer.json()).catch(() => []);
    const session = sessions.find?.(({ id }) => id.startsWith(episode.session));
    const following = session?.episode?.key;
    if (following && following !== episode.key) setNext(following);
  }, NEXT_SECONDS);
  return isOver && next !== episode?.key ? next : null;
}
