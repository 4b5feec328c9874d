// One value, filled in as a form or written as JSON, checked while somebody types, and sent.

import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact.js';
import { SchemaForm } from './form.js';
import { focusField } from './form_context.js';
import { CodeText, SmallButton } from './form_parts.js';
import { JsonEditor, selectOffset } from './json_editor.js';
import { RecentMenu } from './recent_menu.js';
import { MOD, isMac } from '../part/keys.js';
import { validateValue } from '../schema/validate.js';
import { lineAndColumn, parseJson, pathKey, sameJson } from '../schema/json_text.js';

const EDITOR_TABS = [['form', 'Form'], ['json', 'JSON']];
const MOST_PROBLEMS_LISTED = 6;

// What an editor showed last, by its prefix: another view and back must not lose half-written JSON.
const editorMemory = new Map();

/** `history`: values sent before, newest first. `onSubmit(value)` gets a value that fits the schema, unless somebody insists. */
export function ActionEditor({ schema, value, onChange, onSubmit, submitLabel = 'Run', busy = false, disabled = false, idPrefix = 'action', history = [] }) {
  const remembered = editorMemory.get(idPrefix);
  const [tab, setTab] = useState(remembered?.tab ?? 'form');
  const [draft, setDraft] = useState(remembered?.draft ?? null);
  const [local, setLocal] = useState([]);
  const [showAll, setShowAll] = useState(false);
  const frame = useRef(null);
  const area = useRef(null);
  const recall = useRecall(history, value, onChange);

  const problems = useMemo(() => validateValue(schema, schema, value), [schema, value]);
  // Text that was typed stays as it is as long as it stands for the value.
  const isOwnText = draft !== null && sameJson(draft.value, value);
  const isWritten = tab === 'json' || isOwnText;
  const formatted = useMemo(() => (value === undefined || !isWritten ? '' : JSON.stringify(value, null, 2)), [value, isWritten]);
  const text = isOwnText ? draft.text : formatted;
  const parsed = useMemo(() => (isWritten ? parseJson(text) : {}), [text, isWritten]);
  const isBroken = isOwnText && draft.isBroken;
  useEffect(() => {
    editorMemory.set(idPrefix, { tab, draft: isOwnText ? draft : null });
  }, [idPrefix, tab, draft, isOwnText]);

  const write = (next) => {
    const read = parseJson(next);
    setDraft({ text: next, value: read.error ? value : read.value, isBroken: Boolean(read.error) });
    if (!read.error) onChange(read.value);
  };
  const listed = isBroken
    ? [{ path: [], message: `Line ${parsed.error.line}, column ${parsed.error.column}: ${parsed.error.message}`, offset: parsed.error.offset }]
    : [...problems.map((problem) => ({ ...problem, offset: tab === 'json' ? placeOf(parsed.places, problem.path) : undefined })), ...(tab === 'form' ? local : [])];
  const marks = useMemo(() => new Set(listed.filter(({ offset, missing }) => offset !== undefined && (!missing || showAll)).map(({ offset }) => lineAndColumn(text, offset).line)), [listed, text]);

  const goTo = (problem) => {
    if (tab === 'json') selectOffset(area.current, problem.offset ?? 0);
    else focusField(frame.current, idPrefix, problem.path);
  };
  const submit = (insists) => {
    if (busy || disabled) return;
    if (listed.length > 0 && !(insists && !isBroken)) {
      setShowAll(true);
      if (isBroken && tab === 'form') setTab('json');
      else setTimeout(() => goTo(listed[0]));
      return;
    }
    setShowAll(false);
    onSubmit(value);
  };
  const onKeyDown = (event) => {
    const isSubmit = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    const by = event.altKey && !event.shiftKey ? { ArrowUp: 1, ArrowDown: -1 }[event.key] : undefined;
    if (isSubmit) submit(false);
    else if (by === undefined || !recall.go(by)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const examples = Array.isArray(schema?.examples) ? schema.examples : [];
  const shown = showAll || tab === 'json' ? listed.filter(({ missing }) => showAll || !missing) : [];

  return html`<form class="form-editor" novalidate ref=${frame} onKeyDown=${onKeyDown} onSubmit=${(event) => { event.preventDefault(); submit(false); }}>
    <div class="form-editor-bar">
      <${EditorTabs} tab=${tab} onTab=${setTab} idPrefix=${idPrefix} />
      <span class="spacer"></span>
      <span class="visually-hidden" role="status">${recall.told}</span>
      ${tab === 'json' && html`<${SmallButton} onClick=${() => setDraft(null)} disabled=${isBroken || disabled}>Format<//>`}
      <${RecentMenu} history=${history} examples=${examples} onPick=${onChange} disabled=${busy} />
    </div>
    <div role="tabpanel" id=${`${idPrefix}-panel`} aria-labelledby=${`${idPrefix}-tab-${tab}`} class="form-editor-body">
      ${tab === 'json'
        ? html`<${JsonEditor} id=${`${idPrefix}-json`} inputRef=${area} text=${text} onInput=${write} marks=${marks} label="Value as JSON" describedBy=${`${idPrefix}-problems`} />`
        : html`${isBroken && html`<${BrokenNotice} onBack=${() => setTab('json')} onDiscard=${() => setDraft(null)} />`}
          <div inert=${isBroken}><${SchemaForm} schema=${schema} value=${value} onChange=${onChange} idPrefix=${idPrefix} problems=${problems} showAll=${showAll} onLocalProblems=${setLocal} /></div>`}
    </div>
    <div class="form-editor-foot">
      <${ProblemList} id=${`${idPrefix}-problems`} problems=${shown} onGo=${goTo} onInsist=${showAll && !isBroken && tab === 'json' ? () => submit(true) : null} label=${submitLabel} />
      <button type="submit" class="button button-primary form-submit" disabled=${disabled} aria-disabled=${busy} aria-busy=${busy} aria-keyshortcuts=${isMac ? 'Meta+Enter' : 'Control+Enter'}>
        ${busy && html`<span class="form-spinner" aria-hidden="true"></span>`}
        <span>${submitLabel}</span>
        ${showAll && listed.length > 0 ? html`<span class="form-submit-count">${listed.length === 1 ? '1 problem' : `${listed.length} problems`}</span>` : html`<kbd class="form-kbd" aria-hidden="true">${MOD} ↵</kbd>`}
      </button>
    </div>
  </form>`;
}

/** Where the text has a value, or what is nearest around it. */
function placeOf(places, path) {
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = places?.get(pathKey(path.slice(0, length)));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

/** Goes back and forth through earlier values; the one that was being written is kept at the near end. */
function useRecall(history, value, onChange) {
  const [place, setPlace] = useState({ at: -1, own: undefined });
  const [told, setTold] = useState('');
  const go = (by) => {
    const isThere = place.at >= 0 && sameJson(history[place.at], value);
    const from = isThere ? place : { at: -1, own: value };
    const at = from.at + by;
    if (at < -1 || at >= history.length) return at >= history.length && history.length > 0;
    setPlace({ at, own: from.own });
    setTold(at < 0 ? 'Back at your own' : `Recent ${at + 1} of ${history.length}`);
    onChange(at < 0 ? from.own : history[at]);
    return true;
  };
  return { go, told };
}

function EditorTabs({ tab, onTab, idPrefix }) {
  const onKeyDown = (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    const next = tab === 'form' ? 'json' : 'form';
    onTab(next);
    event.currentTarget.querySelector(`[data-tab=${next}]`)?.focus();
  };
  return html`<div class="form-tabs" role="tablist" aria-label="How to write the value" onKeyDown=${onKeyDown}>
    ${EDITOR_TABS.map(([name, label]) => html`<button type="button" key=${name} role="tab" data-tab=${name} id=${`${idPrefix}-tab-${name}`} class="form-tab"
      aria-selected=${tab === name} aria-controls=${`${idPrefix}-panel`} tabindex=${tab === name ? 0 : -1} onClick=${() => onTab(name)}>${label}</button>`)}
  </div>`;
}

function BrokenNotice({ onBack, onDiscard }) {
  return html`<div class="notice notice-warn form-broken">
    <span>The JSON you wrote is not finished. The form shows the last value that was.</span>
    <span class="form-head-buttons"><${SmallButton} onClick=${onBack}>Back to JSON<//><${SmallButton} onClick=${onDiscard}>Drop the text<//></span>
  </div>`;
}

function ProblemList({ id, problems, onGo, onInsist, label }) {
  const more = problems.length - MOST_PROBLEMS_LISTED;
  return html`<div id=${id} class="form-problems" role="status">
    ${problems.length > 0 && html`<ul>
      ${problems.slice(0, MOST_PROBLEMS_LISTED).map((problem, index) => html`<li key=${index}><button type="button" class="form-problem" onClick=${() => onGo(problem)}><${CodeText} text=${problem.message} /></button></li>`)}
      ${more > 0 && html`<li class="form-muted">and ${more} more</li>`}
    </ul>`}
    ${problems.length > 0 && onInsist && html`<${SmallButton} onClick=${onInsist}>${label} anyway<//>`}
  </div>`;
}
