// What an episode starts with: seed, id, task, and whatever else the environment takes.

import { html, useState } from '../vendor/preact.js';
import { CodeText, FieldErrors, FormIcon, FormIconButton } from './form_parts.js';
import { JsonEditor } from './json_editor.js';
import { TaskPicker } from './task_picker.js';
import { isPlainObject, lineAndColumn, numberFromText, numberOf, parseJson } from '../schema/json_text.js';

const LONGEST_EPISODE_ID = 255;
const LARGEST_RANDOM_SEED = 2 ** 31 - 1;
const EXTRA_HINT = 'A JSON object; each field is an argument of reset, such as `{"difficulty": "easy"}`.';

/** `value`: `{seed, episode_id, extra, split, index}`, all as typed. `tasks`: null, or where tasks come from. */
export function ResetForm({ value, onChange, onSubmit, busy, tasks }) {
  const [hasExtra, setHasExtra] = useState((value.extra ?? '').trim() !== '');
  const { errors } = resetArguments(value);
  const told = (name) => errors.filter(({ path }) => path[0] === name).map(({ message }) => message);
  const set = (part) => onChange({ ...value, ...part });
  const submit = (event) => {
    event.preventDefault();
    if (busy) return;
    if (errors.length === 0) onSubmit();
    else event.currentTarget.querySelector('[aria-invalid=true]')?.focus();
  };
  const onKeyDown = (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.stopPropagation();
    submit(event);
  };
  const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % LARGEST_RANDOM_SEED;
  return html`<form class="form-reset" novalidate onSubmit=${submit} onKeyDown=${onKeyDown}>
    <div class="form-reset-row">
      <${ResetInput} id="reset-seed" label="Seed" hint="The same seed starts the same episode." inputmode="numeric" placeholder="not set" value=${value.seed} messages=${told('seed')} onInput=${(seed) => set({ seed })}>
        <${FormIconButton} icon="dice" label="Random seed" onClick=${() => set({ seed: String(randomSeed()) })} />
      <//>
      <${ResetInput} id="reset-episode" label="Episode id" hint="Made up by the server if empty." placeholder="not set" value=${value.episode_id} messages=${told('episode_id')} onInput=${(text) => set({ episode_id: text })} />
    </div>
    ${tasks && html`<${TaskPicker} tasks=${tasks} value=${value} onChange=${set} messages=${told('index')} />`}
    <details class="form-more" open=${hasExtra} onToggle=${(event) => setHasExtra(event.currentTarget.open)}>
      <summary><${FormIcon} name="fold" /><span>Other arguments</span><span class="form-muted form-more-names">${extraSummary(value.extra)}</span></summary>
      ${hasExtra && html`<div class="form-more-body">
        <p class="form-hint" id="reset-extra-hint"><${CodeText} text=${EXTRA_HINT} /></p>
        <${JsonEditor} id="reset-extra" label="Other arguments as JSON" describedBy="reset-extra-hint reset-extra-errors" text=${value.extra ?? ''} marks=${markedLine(value.extra ?? '')} leastRows=${3} mostRows=${12} onInput=${(extra) => set({ extra })} />
        <${FieldErrors} id="reset-extra-errors" messages=${told('extra')} />
      </div>`}
    </details>
    <div class="form-reset-foot"><button type="submit" class="button" aria-disabled=${busy}>Reset with these</button></div>
  </form>`;
}

function ResetInput({ id, label, hint, value, messages, onInput, placeholder, inputmode, children }) {
  return html`<div class=${messages.length > 0 ? 'form-field form-wrong' : 'form-field'}>
    <div class="form-head"><label class="form-label" for=${id}>${label}</label></div>
    <div class="form-beside">
      <input id=${id} class="form-input" value=${value ?? ''} placeholder=${placeholder} inputmode=${inputmode} autocomplete="off" autocapitalize="off" spellcheck=${false}
        aria-describedby=${`${id}-hint ${id}-errors`} aria-invalid=${messages.length > 0 || undefined} onInput=${(event) => onInput(event.target.value)} />
      ${children}
    </div>
    <p class="form-hint" id=${`${id}-hint`}>${hint}</p>
    <${FieldErrors} id=${`${id}-errors`} messages=${messages} />
  </div>`;
}

function extraSummary(extra = '') {
  const text = extra.replace(/\s+/g, ' ').trim();
  return text === '' ? 'none' : text.slice(0, 60);
}

function markedLine(text) {
  const { error } = text.trim() === '' ? {} : parseJson(text);
  return error ? new Set([lineAndColumn(text, error.offset).line]) : new Set();
}

/** `{ data, errors: [{path, message}] }`; what was left empty is not sent. */
export function resetArguments(value) {
  const { seed = '', episode_id: episodeId = '', extra = '', split = '', index = '' } = value ?? {};
  const data = {};
  const errors = [];
  const wrong = (name, message) => errors.push({ path: [name], message });
  const whole = (name, typed) => {
    const number = numberFromText(String(typed));
    if (number === undefined || !Number.isInteger(numberOf(number)) || numberOf(number) < 0) wrong(name, `\`${name}\` must be a whole number, 0 or above`);
    else data[name] = number;
  };
  if (String(seed).trim() !== '') whole('seed', seed);
  if (episodeId.length > LONGEST_EPISODE_ID) wrong('episode_id', `\`episode_id\` must have at most ${LONGEST_EPISODE_ID} characters`);
  else if (episodeId.trim() !== '') data.episode_id = episodeId.trim();
  if (split !== '') {
    data.split = split;
    if (String(index).trim() !== '') whole('index', index);
  }
  readExtra(extra, data, wrong);
  return { data, errors };
}

function readExtra(extra, data, wrong) {
  if (extra.trim() === '') return;
  const { value, error } = parseJson(extra);
  if (error) {
    wrong('extra', `Line ${error.line}, column ${error.column}: ${error.message}`);
    return;
  }
  if (!isPlainObject(value)) {
    wrong('extra', 'The other arguments must be a JSON object, such as {"difficulty": "easy"}');
    return;
  }
  for (const [name, argument] of Object.entries(value)) {
    if (Object.hasOwn(data, name)) wrong('extra', `\`${name}\` is already set above; remove it from one of the two places`);
    else data[name] = argument;
  }
}
