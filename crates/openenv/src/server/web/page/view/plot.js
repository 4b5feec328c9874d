// Rewards and the return over the steps of an episode.

import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact.js';
import { cumulativeReturns, indexOfStep, stepReward } from '../episode/episode.js';
import { countText, numberText, signedText } from '../episode/format.js';
import { rewardBuckets, rewardSummary } from '../episode/reward_series.js';

const PLOT_HEIGHT = 120;
const PLOT_EDGE = { top: 10, right: 44, bottom: 18, left: 44 };
const WIDEST_BAR = 18;

/** `selected` is the `n` of a step, and what `onSelect` is called with. */
export function RewardPlot({ steps, episode, selected, onSelect }) {
  const box = useRef(null);
  const [width, setWidth] = useState(600);
  const [hovered, setHovered] = useState(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(160, Math.round(entry.contentRect.width))));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const sums = useMemo(() => cumulativeReturns(episode ? { ...episode, steps } : { steps }), [steps, steps.length, episode?.dropped, episode?.length, episode?.return]);
  const summary = useMemo(() => rewardSummary(steps), [steps, steps.length]);
  const plot = useMemo(() => plotLayout(steps, sums, width), [steps, steps.length, sums, width]);

  const chosen = typeof selected === 'number' ? indexOfStep(steps, selected) : steps.length - 1;
  const shown = hovered ?? (chosen === -1 ? null : chosen);
  const indexAt = (event) => {
    const { left } = box.current.getBoundingClientRect();
    const part = (event.clientX - left - PLOT_EDGE.left) / (width - PLOT_EDGE.left - PLOT_EDGE.right);
    return Math.max(0, Math.min(steps.length - 1, Math.floor(part * steps.length)));
  };
  const onKeyDown = (event) => {
    const from = chosen === -1 ? steps.length - 1 : chosen;
    const to = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1, PageUp: from + 10, PageDown: from - 10, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined || steps.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect?.(steps[Math.max(0, Math.min(steps.length - 1, to))].n);
  };
  const describe = (index) => {
    const reward = stepReward(steps[index]);
    return `step ${steps[index].n} · reward ${reward === null ? 'none' : signedText(reward)}${sums[index] === null ? '' : ` · return ${numberText(sums[index])}`}`;
  };
  const words = summary.count === 0
    ? 'No rewards yet'
    : `${countText(summary.count, 'reward')} from ${numberText(summary.low)} to ${numberText(summary.high)}, in all ${numberText(summary.total)}`;

  return html`<figure class="plot" ref=${box}>
    <div class="plot-area" role="slider" tabindex="0" aria-label="Reward plot: ${words}" aria-orientation="horizontal"
      aria-valuemin="0" aria-valuemax=${Math.max(0, steps.length - 1)} aria-valuenow=${Math.max(0, chosen)} aria-valuetext=${shown === null ? words : describe(shown)}
      onKeyDown=${onKeyDown} onPointerMove=${(event) => steps.length && setHovered(indexAt(event))} onPointerLeave=${() => setHovered(null)}
      onClick=${(event) => steps.length && onSelect?.(steps[indexAt(event)].n)}>
      <svg width=${width} height=${PLOT_HEIGHT} viewBox="0 0 ${width} ${PLOT_HEIGHT}" aria-hidden="true">
        <line class="plot-zero" x1=${PLOT_EDGE.left} x2=${width - PLOT_EDGE.right} y1=${plot.zero} y2=${plot.zero} />
        ${shown === null ? null : html`<rect class="plot-cursor" x=${plot.left(shown)} width=${Math.max(2, plot.slot)} y="2" height=${PLOT_HEIGHT - PLOT_EDGE.bottom} />`}
        <path class="plot-gain" d=${plot.gains} />
        <path class="plot-loss" d=${plot.losses} />
        <path class="plot-return" d=${plot.line} />
        ${shown !== null && sums[shown] !== null ? html`<circle class="plot-point" cx=${plot.left(shown) + plot.slot / 2} cy=${plot.sumAt(sums[shown])} r="3.5" />` : null}
        ${plot.rewardTicks.map((tick) => html`<text class="plot-tick" text-anchor="end" x=${PLOT_EDGE.left - 6} y=${tick.y}>${numberText(tick.value, 3)}</text>`)}
        ${plot.sumTicks.map((tick) => html`<text class="plot-tick plot-tick-return" x=${width - PLOT_EDGE.right + 6} y=${tick.y}>${numberText(tick.value, 3)}</text>`)}
        ${steps.length > 0 ? html`<text class="plot-tick" x=${PLOT_EDGE.left} y=${PLOT_HEIGHT - 4}>${steps[0].n}</text>` : null}
        ${steps.length > 1 ? html`<text class="plot-tick" text-anchor="end" x=${width - PLOT_EDGE.right} y=${PLOT_HEIGHT - 4}>${steps[steps.length - 1].n}</text>` : null}
      </svg>
    </div>
    <figcaption class="plot-caption">
      <span class="plot-key plot-key-reward">reward</span><span class="plot-key plot-key-return">return</span>
      <span class="plot-readout">${shown === null ? words : describe(shown)}</span>
    </figcaption>
  </figure>`;
}

/** Rewards have the scale on the left, the return has the one on the right; both share zero. */
function plotLayout(steps, sums, width) {
  const inner = Math.max(1, width - PLOT_EDGE.left - PLOT_EDGE.right);
  const height = PLOT_HEIGHT - PLOT_EDGE.top - PLOT_EDGE.bottom;
  const slot = inner / Math.max(1, steps.length);
  const buckets = rewardBuckets(steps, sums, Math.floor(inner / 2));
  const rewards = plotRange(buckets.flatMap((bucket) => [bucket.low, bucket.high]));
  const returns = plotRange(buckets.map((bucket) => bucket.sum ?? 0));
  const below = Math.max(rewards.low / (rewards.low - rewards.high || -1), returns.low / (returns.low - returns.high || -1), 0);
  const zero = PLOT_EDGE.top + height * (1 - below);
  const scale = (range) => Math.min(
    range.high > 0 ? (height * (1 - below)) / range.high : Infinity,
    range.low < 0 ? (height * below) / -range.low : Infinity,
  );
  const [rewardScale, returnScale] = [scale(rewards), scale(returns)].map((value) => (Number.isFinite(value) ? value : 0));
  const left = (index) => PLOT_EDGE.left + index * slot;
  const bar = (bucket, value) => {
    const wide = (bucket.to - bucket.from + 1) * slot;
    const shown = Math.max(1, Math.min(WIDEST_BAR, wide * 0.8));
    const x = left(bucket.from) + (wide - shown) / 2;
    return `M${x.toFixed(1)} ${zero.toFixed(1)}h${shown.toFixed(1)}V${(zero - value * rewardScale).toFixed(1)}h${(-shown).toFixed(1)}z`;
  };
  const sumAt = (sum) => zero - sum * returnScale;
  const ticks = (range, factor) => [range.high, range.low].filter((value) => value !== 0).map((value) => ({ value, y: zero - value * factor + 4 }));
  return {
    zero,
    slot,
    left,
    sumAt,
    gains: buckets.filter((bucket) => bucket.high > 0).map((bucket) => bar(bucket, bucket.high)).join(''),
    losses: buckets.filter((bucket) => bucket.low < 0).map((bucket) => bar(bucket, bucket.low)).join(''),
    line: buckets.map((bucket, at) => bucket.sum === null ? '' : `${at === 0 || buckets[at - 1].sum === null ? 'M' : 'L'}${((left(bucket.from) + left(bucket.to + 1)) / 2).toFixed(1)} ${sumAt(bucket.sum).toFixed(1)}`).join(''),
    rewardTicks: ticks(rewards, rewardScale),
    sumTicks: ticks(returns, returnScale),
  };
}

function plotRange(values) {
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}
