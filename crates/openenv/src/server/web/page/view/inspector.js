// Everything about one step.

import { html, useId, useRef } from '../vendor/preact.js';
import { cumulativeReturns, indexOfStep, stepDone, stepError, stepReward, stepTitle, stepTruncated, tookTitle } from '../episode/episode.js';
import { clockText, durationText, numberText } from '../episode/format.js';
import { DiffView } from './diff_view.js';
import { ErrorBox } from './error_box.js';
import { JsonTree } from './json_tree.js';
import { LogsView } from './logs_view.js';
import { RawView } from './raw_view.js';
import { RewardChip } from './timeline.js';
import { ToolResult } from './tool_result.js';

export const INSPECTOR_TABS = ['observation', 'diff', 'state', 'raw', 'logs'];

const TAB_LABELS = { observation: 'Observation', diff: 'Diff', state: 'State', raw: 'Raw', logs: 'Logs' };

/** `previous` is the step before, or null; `tab` is one of `INSPECTOR_TABS`. */
export function Inspector({ episode, step, previous, tab, onTab }) {
  const id = useId();
  const tabs = useRef(null);
  const shown = INSPECTOR_TABS.includes(tab) ? tab : 'observation';
  if (!step) return html`<div class="inspector"><p class="inspector-none">Choose a step to look into it.</p></div>`;
  const onKeyDown = (event) => {
    const at = INSPECTOR_TABS.indexOf(shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: INSPECTOR_TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = INSPECTOR_TABS[(to + INSPECTOR_TABS.length) % INSPECTOR_TABS.length];
    onTab?.(next);
    tabs.current?.querySelector(`[data-tab="${next}"]`)?.focus();
  };
  return html`<div class="inspector">
    <${StepFacts} episode=${episode} step=${step} />
    <div class="inspector-tabs" role="tablist" aria-label="Views of the step" ref=${tabs} onKeyDown=${onKeyDown}>
      ${INSPECTOR_TABS.map((name) => html`<button type="button" role="tab" key=${name} id="${id}-${name}" data-tab=${name} aria-selected=${name === shown} aria-controls="${id}-panel"
        tabindex=${name === shown ? 0 : -1} onClick=${() => onTab?.(name)}>${TAB_LABELS[name]}${name === 'logs' && step.logs?.length ? html`<span class="inspector-badge">${step.logs.length}</span>` : null}</button>`)}
    </div>
    <div class="inspector-panel" role="tabpanel" id="${id}-panel" aria-labelledby="${id}-${shown}">
      ${shown === 'observation' ? html`<${ObservationView} step=${step} />` : null}
      ${shown === 'diff' ? html`<${StepDiff} step=${step} previous=${previous} />` : null}
      ${shown === 'state' ? html`<${StateView} step=${step} previous=${previous} />` : null}
      ${shown === 'raw' ? html`<${RawView} step=${step} />` : null}
      ${shown === 'logs' ? html`<${LogsView} step=${step} />` : null}
    </div>
  </div>`;
}

function StepFacts({ episode, step }) {
  const reward = stepReward(step);
  const index = episode ? indexOfStep(episode.steps, step.n) : -1;
  const sum = index === -1 ? null : cumulativeReturns(episode)[index];
  return html`<dl class="inspector-facts">
    <div><dt>Reward</dt><dd>${reward === null ? 'none' : html`<${RewardChip} reward=${reward} />`}</dd></div>
    ${sum === null ? null : html`<div><dt>Return</dt><dd>${numberText(sum)}</dd></div>`}
    <div><dt>Done</dt><dd>${stepDone(step) ? html`<span class="views-chip views-info">${stepTruncated(step) ? 'yes, cut off' : 'yes'}</span>` : 'no'}</dd></div>
    <div><dt title=${tookTitle(step)}>${step.round_trip ? 'Round trip' : 'Took'}</dt><dd>${durationText(step.took)}</dd></div>
    ${typeof step.at === 'number' ? html`<div><dt>At</dt><dd>${clockText(step.at)}</dd></div>` : null}
  </dl>`;
}

/** What the reply says, without what the line above it says already. */
function observationOf(step) {
  return step?.reply?.observation;
}

function isToolStep(step) {
  return step.kind === 'tool' || step.reply?.observation?.tool_name !== undefined;
}

function ObservationView({ step }) {
  const error = stepError(step);
  const request = step.kind === 'tool' ? step.request?.arguments ?? {} : step.request ?? {};
  const hasRequest = request !== null && (typeof request !== 'object' || Object.keys(request).length > 0);
  const metadata = step.reply?.metadata;
  return html`<div class="observation">
    ${error ? html`<${ErrorBox} error=${error} />` : null}
    <${ObservationReply} step=${step} />
    ${metadata && Object.keys(metadata).length > 0 ? html`<h3 class="inspector-heading">Metadata</h3><${JsonTree} value=${metadata} label="metadata" />` : null}
    <h3 class="inspector-heading">${{ reset: 'Reset arguments', step: 'Action', tool: 'Tool arguments' }[step.kind]}</h3>
    ${hasRequest ? html`<${JsonTree} value=${request} label=${stepTitle(step).split('(')[0]} />` : html`<p class="inspector-none">None were given.</p>`}
  </div>`;
}

function ObservationReply({ step }) {
  const { reply } = step;
  if (reply === null || reply === undefined) return step.error ? null : html`<p class="inspector-none">No reply yet.</p>`;
  if (step.kind === 'tool') return html`<h3 class="inspector-heading">Result</h3><${ToolResult} result=${reply} />`;
  const observation = observationOf(step);
  if (isToolStep(step)) {
    const { tool_name: _, result, error: __, ...rest } = observation;
    const extra = Object.fromEntries(Object.entries(rest).filter(([name]) => !['done', 'reward', 'metadata'].includes(name)));
    return html`<h3 class="inspector-heading">Result</h3><${ToolResult} result=${result} />
      ${Object.keys(extra).length > 0 ? html`<${JsonTree} value=${extra} label="observation" />` : null}`;
  }
  if (observation === undefined || observation === null || (typeof observation === 'object' && Object.keys(observation).length === 0)) {
    return html`<p class="inspector-none">The observation is empty.</p>`;
  }
  return html`<${JsonTree} value=${observation} label="observation" />`;
}

function StepDiff({ step, previous }) {
  if (!previous) return html`<p class="inspector-none">This is the first step: there is nothing to compare it with.</p>`;
  if (!step.reply) return html`<p class="inspector-none">This step has no observation to compare.</p>`;
  if (!previous.reply) return html`<p class="inspector-none">Step ${previous.n} has no observation to compare with.</p>`;
  const [before, after] = [previous, step].map((one) => (one.kind === 'tool' ? one.reply : observationOf(one)));
  return html`<p class="inspector-note">What changed in the observation since step ${previous.n}</p>
    <${DiffView} before=${before} after=${after} nothing=${`The observation is the same as at step ${previous.n}.`} />`;
}

function StateView({ step, previous }) {
  if (step.state === undefined || step.state === null) return html`<p class="inspector-none">The state after this step was not recorded.</p>`;
  return html`<div class="state">
    <${JsonTree} value=${step.state} label="state" />
    ${previous?.state ? html`<h3 class="inspector-heading">Since step ${previous.n}</h3><${DiffView} before=${previous.state} after=${step.state} nothing="The state did not change." />` : null}
  </div>`;
}
