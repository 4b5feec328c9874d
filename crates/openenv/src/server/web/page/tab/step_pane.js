// One step of an episode: what was drawn, and everything that was said.

import { html } from '../vendor/preact.js';
import { usePage, usePageKeys, usePageState } from '../part/context.js';
import { Empty, IconButton } from '../part/parts.js';
import { writeClipboard } from '../part/copy_button.js';
import { stepIndex, stepTitle } from '../episode/episode.js';
import { Inspector } from '../view/inspector.js';
import { RenderingView } from '../view/rendering.js';
import { movedSelection, selectedStep } from '../session/store.js';
import { episodeLink } from './episode_pane.js';

export function StepPane({ episode, selected, onSelect, onRepeat, onEdit, empty, keepRendering }) {
  const { store, toast, pageUrl } = usePage();
  const tab = usePageState((state) => state.inspectorTab);
  const step = selectedStep(episode, selected);
  const move = (by) => onSelect(movedSelection(episode, selected, by));
  const showTab = (name) => store.dispatch({ type: 'inspectorTab', tab: name });
  usePageKeys({
    o: () => showTab('observation'), d: () => showTab('diff'), s: () => showTab('state'), w: () => showTab('raw'), l: () => showTab('logs'),
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    ArrowRight: () => move(1), ArrowLeft: () => move(-1),
  });
  if (!step) return html`<section class="step-pane" aria-label="Step">${empty ?? html`<${Empty} icon="episodes" title="No steps yet" />`}</section>`;

  const index = stepIndex(episode.steps, step.n);
  const previous = index > 0 ? episode.steps[index - 1] : null;
  const drawn = keepRendering || episode.steps.some((one) => one.rendering);
  const copyLink = async () => {
    const done = await writeClipboard(episodeLink(pageUrl, episode, step.n));
    toast(done ? `Copied the link to step ${step.n}` : 'The browser did not allow to copy.', { kind: done ? 'good' : 'bad' });
  };

  return html`<section class="step-pane" aria-label="Step">
    <header class="pane-head">
      <${IconButton} icon="left" label="Previous step (k)" disabled=${index <= 0} onClick=${() => move(-1)} />
      <${IconButton} icon="right" label="Next step (j)" disabled=${index >= episode.steps.length - 1} onClick=${() => move(1)} />
      <h2 class="step-title"><span class="step-number">${step.n}</span><span class="mono" title=${stepTitle(step, 400)}>${stepTitle(step, 120)}</span></h2>
      <span class="spacer"></span>
      ${selected !== null && index < episode.steps.length - 1 && html`<button type="button" class="button button-small button-quiet" onClick=${() => onSelect(null)}>Newest</button>`}
      ${onRepeat && html`<${IconButton} icon="repeat" label="Run this again" onClick=${() => onRepeat(step)} />`}
      ${onEdit && step.kind !== 'reset' && html`<${IconButton} icon="edit" label="Edit and run again" onClick=${() => onEdit(step)} />`}
      ${episode.key && episode.source !== 'file' && html`<${IconButton} icon="link" label="Copy link to this step" onClick=${copyLink} />`}
    </header>
    ${drawn && html`<div class="step-rendering"><${RenderingView} step=${step} steps=${episode.steps} selected=${step.n} onSelect=${onSelect} /></div>`}
    <div class="step-inspector">
      <${Inspector} episode=${episode} step=${step} previous=${previous} tab=${tab} onTab=${showTab} />
    </div>
  </section>`;
}
