// Fields to choose in: one of a few, one of many, several of a few.

import { html } from '../vendor/preact.js';
import { choiceLabel } from '../schema/shape.js';
import { sameJson } from '../schema/json_text.js';

const MOST_SEGMENTS = 5;
const WIDEST_SEGMENTS = 42;

/** Choices of a place, with those that leave it out or make it null: `[{label, value, description}]`. */
export function placeChoices(shape, { required, nullable }) {
  const choices = baseChoices(shape);
  if (nullable && !choices.some(({ value }) => value === null)) choices.push({ label: 'null', value: null });
  if (!required) {
    const { default: preset } = shape.schema;
    choices.unshift({ label: preset === undefined || preset === null ? 'not set' : `default (${choiceLabel(preset)})`, value: undefined, isUnset: true });
  }
  return choices;
}

function baseChoices(shape) {
  if (shape.kind === 'boolean') return [{ label: 'true', value: true }, { label: 'false', value: false }];
  if (shape.kind === 'const') return [{ label: choiceLabel(shape.value), value: shape.value, description: shape.description }];
  if (shape.kind === 'null') return [{ label: 'null', value: null }];
  return [...shape.choices];
}

/** Whether all choices can be in sight at once; else they are in a menu, which a label can point to. */
export function fitsSegments(choices) {
  return choices.length <= MOST_SEGMENTS && choices.reduce((width, { label }) => width + label.length + 3, 0) <= WIDEST_SEGMENTS;
}

/** One of the choices; `value` may be none of them, which the check tells. */
export function ChoiceControl({ choices, value, onChange, control, labelId }) {
  const at = choices.findIndex((choice) => (choice.value === undefined ? value === undefined : sameJson(choice.value, value)));
  const description = choices[at]?.description;
  const picker = fitsSegments(choices) ? ChoiceSegments : ChoiceSelect;
  return html`<${picker} choices=${choices} at=${at} onPick=${(index) => onChange(choices[index].value)} control=${control} labelId=${labelId} />
    ${description && html`<p class="form-hint form-choice-hint">${description}</p>`}`;
}

export function ChoiceSegments({ choices, at, onPick, control, labelId }) {
  const { id, disabled, ...described } = control;
  return html`<div id=${id} class="form-segments" role="radiogroup" aria-labelledby=${labelId} ...${described}>
    ${choices.map((choice, index) => html`<label key=${choice.label} class=${choice.isUnset ? 'form-segment form-segment-unset' : 'form-segment'}>
      <input type="radio" name=${id} checked=${index === at} disabled=${disabled} onChange=${() => onPick(index)} />
      <span>${choice.label}</span>
    </label>`)}
  </div>`;
}

function ChoiceSelect({ choices, at, onPick, control }) {
  return html`<select ...${control} class="form-input form-select" value=${String(at)} onChange=${(event) => onPick(Number(event.target.value))}>
    ${at < 0 && html`<option value="-1" disabled>Choose…</option>`}
    ${choices.map((choice, index) => html`<option key=${index} value=${String(index)}>${choice.label}</option>`)}
  </select>`;
}

/** Any of a few, for lists in which nothing may be twice. */
export function SeveralControl({ choices, value, onChange, control, labelId }) {
  const { id, disabled, ...described } = control;
  const chosen = Array.isArray(value) ? value : [];
  const isChosen = (choice) => chosen.some((item) => sameJson(item, choice.value));
  const toggle = (choice) => {
    const kept = chosen.filter((item) => !sameJson(item, choice.value));
    onChange(isChosen(choice) ? kept : [...kept, choice.value]);
  };
  return html`<div id=${id} class="form-several" role="group" aria-labelledby=${labelId} aria-describedby=${described['aria-describedby']}>
    ${choices.map((choice) => html`<label key=${choice.label} class="form-check" title=${choice.description}>
      <input type="checkbox" checked=${isChosen(choice)} disabled=${disabled} onChange=${() => toggle(choice)} /><span>${choice.label}</span>
    </label>`)}
  </div>`;
}
