// An episode as a whole: its figures, rewards and timeline, and ways to take it along.

import { html, useMemo } from '../vendor/preact.js';
import { usePage, usePageState } from '../part/context.js';
import { Menu, saveFile } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { writeClipboard } from '../part/copy_button.js';
import { countText, durationText, numberText } from '../episode/format.js';
import { stepError } from '../episode/episode.js';
import { Timeline } from '../view/timeline.js';
import { RewardPlot } from '../view/plot.js';
import { exportEpisode } from '../episode/export.js';
import { routeHash } from '../part/router.js';
import { stepsTaken } from '../session/store.js';
import { fetchEpisode } from '../session/own_session.js';

const EXPORT_FORMATS = [
  { format: 'python', label: 'Python' },
  { format: 'rust', label: 'Rust' },
  { format: 'curl', label: 'curl' },
  { format: 'jsonl', label: 'JSONL' },
];

export function EpisodePane({ episode, selected, onSelect, onRepeat, onEdit, title, badge, children }) {
  const { pageUrl } = usePage();
  const permalink = episode?.key && episode.source !== 'file' ? (step) => episodeLink(pageUrl, episode, step.n) : undefined;
  return html`<section class="episode-pane" aria-label="Episode">
    <header class="pane-head">
      <h2>${title ?? 'Episode'}</h2>
      ${badge}
      <span class="spacer"></span>
      ${episode && html`<${ExportMenu} episode=${episode} />`}
    </header>
    ${children}
    ${episode && html`<${EpisodeFigures} episode=${episode} />
      <div class="episode-plot"><${RewardPlot} episode=${episode} steps=${episode.steps} selected=${selected} onSelect=${onSelect} /></div>
      <div class="episode-timeline" style=${`--rows:${episode.steps.length + (episode.dropped > 0 ? 1 : 0)}`}>
        <${Timeline} episode=${episode} selected=${selected} onSelect=${onSelect} onRepeat=${onRepeat} onEdit=${onEdit} permalink=${permalink} />
      </div>`}
  </section>`;
}

export function EpisodeFigures({ episode }) {
  const latency = useMemo(() => medianLatency(episode.steps), [episode.steps]);
  const errors = episode.errors || episode.steps.filter(stepError).length;
  return html`<dl class="figures">
    <div><dt>Return</dt><dd class=${episode.return > 0 ? 'figure-good' : episode.return < 0 ? 'figure-bad' : ''}>${numberText(episode.return)}</dd></div>
    <div><dt>Steps</dt><dd>${stepsTaken(episode).toLocaleString('en')}</dd></div>
    <div><dt title=${`Half of the steps shown took less${episode.steps.some((step) => step.round_trip) ? '; for steps of this tab, the way to the server and back counts' : ''}`}>Median</dt><dd>${durationText(latency)}</dd></div>
    <div><dt>Errors</dt><dd class=${errors ? 'figure-bad' : ''}>${errors}</dd></div>
  </dl>`;
}

function medianLatency(steps) {
  const times = steps.map((step) => step.took).filter((took) => typeof took === 'number').sort((a, b) => a - b);
  return times.length > 0 ? times[times.length >> 1] : null;
}

export function ExportMenu({ episode, label = 'Export' }) {
  const { toast, pageUrl, fetch } = usePage();
  // Plain HTTP has no episodes in production.
  const production = usePageState((state) => state.about.mode === 'production');
  const formats = EXPORT_FORMATS.filter(({ format }) => !(production && format === 'curl'));
  const produce = async (format) => {
    // A tab keeps the newest steps only; the server may have all of them.
    const whole = episode.length > episode.steps.length && episode.key && episode.source !== 'file'
      ? await fetchEpisode(fetch, pageUrl, episode.key).catch(() => episode)
      : episode;
    return exportEpisode(whole, format, environmentUrl(pageUrl));
  };
  const guard = (work) => () => work().catch((problem) => toast(`Not exported: ${problem.message}`, { kind: 'bad' }));
  const copy = ({ format, label }) => guard(async () => {
    const { text } = await produce(format);
    const done = await writeClipboard(text);
    toast(done ? `Copied ${countText(episode.steps.length, 'step')} as ${label}` : 'The browser did not allow to copy. Download it instead.', { kind: done ? 'good' : 'bad' });
  });
  const save = ({ format }) => guard(async () => saveFile(await produce(format)));
  const copyLink = guard(async () => {
    const done = await writeClipboard(episodeLink(pageUrl, episode, null));
    toast(done ? 'Copied the link to this episode' : 'The browser did not allow to copy.', { kind: done ? 'good' : 'bad' });
  });
  const items = [
    ...(episode.key && episode.source !== 'file' ? [{ heading: 'Share' }, { label: 'Copy link', icon: 'link', run: copyLink }] : []),
    { heading: 'Copy a replay' },
    ...formats.map((entry) => ({ label: `Copy as ${entry.label}`, icon: 'copy', run: copy(entry) })),
    { heading: 'Download' },
    ...formats.map((entry) => ({ label: `Download ${entry.label}`, icon: 'download', run: save(entry) })),
  ];
  return html`<${Menu} label=${label} icon="export" items=${items} disabled=${episode.steps.length === 0} />`;
}

// Where clients connect to: the page is one level below.
export function environmentUrl(pageUrl) {
  return new URL('..', pageUrl).href.replace(/\/$/, '');
}

export function episodeLink(pageUrl, episode, step) {
  return new URL(routeHash({ view: 'episode', key: episode.key, step }), pageUrl).href;
}

export function EpisodeBadge({ episode, over }) {
  if (!episode) return null;
  if (episode.source === 'file') return html`<span class="chip">from a file</span>`;
  if (episode.done) return html`<span class="chip chip-good"><${Icon} name="flag" />done</span>`;
  if (over || !episode.live) return html`<span class="chip">ended</span>`;
  return html`<span class="chip chip-info"><span class="dot"></span>running</span>`;
}
