// What the environment draws, and a way through what it has drawn before.

import { html, useEffect, useId, useMemo, useRef, useState } from '../vendor/preact.js';
import { indexOfStep } from '../episode/episode.js';
import { drawnBefore, drawnSteps, renderingAddress, renderingDocument } from '../episode/rendering_document.js';
import { TerminalText } from './terminal_text.js';
import { ViewIcon } from './view_icon.js';

const TINY_WIDTH = 128;
const PLAY_SPEEDS = [{ label: '0.5×', every: 1400 }, { label: '1×', every: 700 }, { label: '2×', every: 350 }, { label: '4×', every: 175 }];

/** `selected` is the `n` of a step, and what `onSelect` is called with. */
export function RenderingView({ step, steps, selected, onSelect }) {
  const drawn = useMemo(() => drawnSteps(steps), [steps, steps.length, step]);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(() => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 1));
  const pageTheme = usePageTheme();
  const [swapped, setSwapped] = useState(false);
  const theme = swapped ? (pageTheme === 'dark' ? 'light' : 'dark') : pageTheme;
  const box = useRef(null);
  const id = useId();

  const index = typeof selected === 'number' ? indexOfStep(steps, selected) : steps.length - 1;
  const place = drawnBefore(drawn, index === -1 ? steps.length - 1 : index);
  const shown = drawn.length > 0 ? steps[drawn[place]] : null;
  const goTo = (next) => {
    const to = Math.max(0, Math.min(drawn.length - 1, next));
    if (drawn.length > 0) onSelect?.(steps[drawn[to]].n);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (place >= drawn.length - 1) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => goTo(place + 1), PLAY_SPEEDS[speed].every);
    return () => clearTimeout(timer);
  }, [isPlaying, place, drawn.length, speed]);

  if (!shown) return html`<div class="rendering"><p class="inspector-none">The environment has not drawn anything yet.</p></div>`;
  const isEarlier = shown.n !== (step?.n ?? selected ?? shown.n);
  const onPlay = () => {
    if (!isPlaying && place >= drawn.length - 1) goTo(0);
    setPlaying(!isPlaying);
  };
  const onKeyDown = (event) => {
    if (event.key !== ' ' || event.target.tagName !== 'INPUT') return;
    event.preventDefault();
    onPlay();
  };
  const isFrame = shown.rendering.kind === 'html';
  return html`<section class="rendering" aria-label="Rendering" ref=${box}>
    <div class="rendering-stage rendering-of-${shown.rendering.kind} rendering-on-${theme}" key="stage">
      <${Drawing} rendering=${shown.rendering} theme=${theme} label="Rendering of step ${shown.n}" />
    </div>
    <div class="rendering-bar" onKeyDown=${onKeyDown}>
      ${drawn.length > 1 ? html`
        <button type="button" class="views-icon-button" aria-label="Previous rendering" disabled=${place === 0} onClick=${() => goTo(place - 1)}><${ViewIcon} name="previous" /></button>
        <button type="button" class="views-icon-button" aria-label=${isPlaying ? 'Pause' : 'Play'} onClick=${onPlay}><${ViewIcon} name=${isPlaying ? 'pause' : 'play'} /></button>
        <button type="button" class="views-icon-button" aria-label="Next rendering" disabled=${place === drawn.length - 1} onClick=${() => goTo(place + 1)}><${ViewIcon} name="next" /></button>
        <label class="views-hidden" for=${id}>Step</label>
        <input id=${id} class="rendering-range" type="range" min="0" max=${drawn.length - 1} value=${place} aria-valuetext="step ${shown.n}"
          onInput=${(event) => { setPlaying(false); goTo(Number(event.currentTarget.value)); }} />
        <button type="button" class="views-link rendering-speed" aria-label="Speed ${PLAY_SPEEDS[speed].label}" onClick=${() => setSpeed((speed + 1) % PLAY_SPEEDS.length)}>${PLAY_SPEEDS[speed].label}</button>` : null}
      <span class="rendering-step">step ${shown.n}${isEarlier ? ', the last one drawn' : ''}</span>
      <span class="rendering-tools">
        ${isFrame || shown.rendering.kind === 'svg' ? html`<button type="button" class="views-icon-button" aria-pressed=${swapped} aria-label="Other background" title="Other background" onClick=${() => setSwapped(!swapped)}><${ViewIcon} name="half" /></button>` : null}
        <button type="button" class="views-icon-button" aria-label="Full screen" title="Full screen" onClick=${() => toggleFullScreen(box.current)}><${ViewIcon} name="full" /></button>
      </span>
    </div>
  </section>`;
}

function toggleFullScreen(element) {
  if (document.fullscreenElement) document.exitFullscreen();
  else element?.requestFullscreen?.();
}

function Drawing({ rendering, theme, label }) {
  const { kind, content } = rendering;
  if (kind === 'html') return html`<${DrawingFrame} content=${content} theme=${theme} label=${label} />`;
  if (kind === 'text') return html`<${TerminalText} text=${content} label=${label} />`;
  return html`<${DrawingImage} key=${kind} address=${renderingAddress(rendering)} label=${label} isPixels=${kind === 'image'} />`;
}

/** Frames of simulators are often tiny: they are enlarged, without blur. */
function DrawingImage({ address, label, isPixels }) {
  const [isTiny, setTiny] = useState(false);
  return html`<img class="rendering-image${isTiny ? ' rendering-tiny' : ''}" src=${address} alt=${label}
    onLoad=${(event) => setTiny(isPixels && event.currentTarget.naturalWidth <= TINY_WIDTH)} />`;
}

/** The next document loads behind the one that is shown, so that playing does not flicker. */
function DrawingFrame({ content, theme, label }) {
  const source = useMemo(() => renderingDocument(content, theme), [content, theme]);
  const [shown, setShown] = useState(source);
  const documents = shown === source ? [source] : [shown, source];
  return html`<div class="rendering-frames">
    ${documents.map((document) => html`<iframe key=${document} class=${document === shown ? 'rendering-frame' : 'rendering-frame rendering-behind'} sandbox="" srcdoc=${document}
      title=${label} aria-hidden=${document === shown ? undefined : 'true'} tabindex=${document === shown ? undefined : '-1'} onLoad=${() => document === source && setShown(source)}></iframe>`)}
  </div>`;
}

/** `dark` or `light`, as the page is now. */
export function usePageTheme() {
  const read = () => document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const update = () => setTheme(read());
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const query = matchMedia('(prefers-color-scheme: dark)');
    query.addEventListener('change', update);
    update();
    return () => {
      observer.disconnect();
      query.removeEventListener('change', update);
    };
  }, []);
  return theme === 'dark' ? 'dark' : 'light';
}
