// Looks over the shoulder of a session, without touching it.

import { html, useEffect, useRef, useState } from './vendor/preact.js';
import { usePage } from './context.js';
import { Empty } from './parts.js';
import { Icon } from './icon.js';
import { countText } from './format.js';
import { episodeFromServer, stepFromServer } from './episode.js';
import { EpisodeBadge, EpisodePane } from './episode_pane.js';
import { StepPane } from './step_pane.js';
import { useEditing } from './play.js';
import { MOST_STEPS_KEPT } from './store.js';

export function Follow({ episodeKey }) {
  const [paused, setPaused] = useState(false);
  const [drawing, setDrawing] = useState(false);
  const [selected, setSelected] = useState(null);
  const { episode, phase, skipped } = useFollowed(episodeKey, { paused, drawing });
  const edit = useEditing();

  const badge = phase === 'ended' ? html`<${EpisodeBadge} episode=${episode} over />`
    : phase === 'lost' ? html`<span class="chip chip-bad"><span class="dot dot-pulse"></span>reconnecting</span>`
      : paused ? html`<span class="chip chip-warn">paused</span>`
        : html`<span class="chip chip-info"><span class="dot dot-pulse"></span>live</span>`;
  const title = `Session ${episode?.session ?? ''}`;
  const empty = phase === 'gone'
    ? html`<${Empty} icon="sessions" title="There is nothing to follow"><p>The episode has ended and is no longer kept.</p><a class="button" href="#/sessions">See who is connected</a></${Empty}>`
    : html`<${Empty} icon="follow" title="Waiting for the first step"><p>Steps appear as the session takes them.</p></${Empty}>`;

  return html`<div class="viewer">
    <${EpisodePane} episode=${episode} selected=${selected} onSelect=${setSelected} onEdit=${edit} title=${title} badge=${badge}>
      <div class="follow-bar">
        <button type="button" class="button button-small" aria-pressed=${paused} disabled=${phase === 'ended'} onClick=${() => setPaused(!paused)}>
          <${Icon} name=${paused ? 'play' : 'pause'} />${paused ? 'Go on' : 'Pause'}
        </button>
        <label class="row" title="Asks the environment to draw itself, up to twice a second">
          <input type="checkbox" checked=${drawing} disabled=${phase === 'ended'} onChange=${(event) => setDrawing(event.target.checked)} /> Rendering
        </label>
        <span class="spacer"></span>
        ${selected !== null && phase !== 'ended' && html`<button type="button" class="button button-small button-primary" onClick=${() => setSelected(null)}>Follow newest</button>`}
      </div>
      ${skipped > 0 && html`<p class="follow-note muted">${countText(skipped, 'step')} went by too fast to be shown.</p>`}
    </${EpisodePane}>
    <${StepPane} episode=${episode} selected=${selected} onSelect=${setSelected} onEdit=${edit} empty=${empty} keepRendering=${drawing} />
  </div>`;
}

function useFollowed(key, { paused, drawing }) {
  const { pageUrl } = usePage();
  const [followed, setFollowed] = useState({ episode: null, phase: 'connecting', skipped: 0 });
  const next = useRef(0);

  useEffect(() => {
    next.current = 0;
    setFollowed({ episode: null, phase: 'connecting', skipped: 0 });
  }, [key]);

  useEffect(() => {
    if (paused) return undefined;
    const url = new URL(`episodes/${encodeURIComponent(key)}/follow`, pageUrl);
    let source = null;
    let timer = null;
    const open = () => {
      // The position is in the address: what the browser would do by itself begins at the start again.
      url.searchParams.set('from', next.current);
      if (drawing) url.searchParams.set('view', 1);
      source = new EventSource(url);
      source.onmessage = (event) => {
        const news = JSON.parse(event.data);
        const last = news.steps.at(-1);
        if (last) next.current = last.n + 1;
        setFollowed((before) => withNews(before, news));
      };
      source.addEventListener('end', () => {
        source.close();
        setFollowed((before) => ({ ...before, phase: 'ended', episode: before.episode && { ...before.episode, live: false } }));
      });
      source.onerror = () => {
        source.close();
        setFollowed((before) => ({ ...before, phase: before.episode ? 'lost' : 'gone' }));
        timer = setTimeout(open, 2000);
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

// The figures are those of the server; the steps are the newest ones, as many as a tab should hold.
export function withNews(before, { summary, steps, skipped }) {
  const known = before.episode?.steps ?? [];
  const latest = new Map(steps.map((step) => [step.n, stepFromServer(step)]));
  // A drawing may come after its step: then the step comes once more.
  const first = steps[0]?.n ?? Infinity;
  const kept = known.length > 0 && known.at(-1).n >= first ? known.map((step) => takeLatest(latest, step)) : known;
  const all = [...kept, ...latest.values()];
  const shown = all.length > MOST_STEPS_KEPT ? all.slice(-MOST_STEPS_KEPT) : all;
  const dropped = shown.length > 0 ? Math.max(summary.dropped ?? 0, shown[0].n) : summary.dropped ?? 0;
  return {
    episode: { ...episodeFromServer(summary), steps: shown, dropped },
    phase: 'live',
    skipped: before.skipped + (skipped ?? 0),
  };
}

function takeLatest(latest, step) {
  const newer = latest.get(step.n);
  if (!newer) return step;
  latest.delete(step.n);
  return { ...step, ...newer };
}
