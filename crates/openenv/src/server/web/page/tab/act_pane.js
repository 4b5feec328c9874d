// Where a person acts: start an episode, take one of the actions at hand, or fill in any other.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from '../vendor/preact.js';
import { useClock, usePage, usePageKeys, usePageState } from '../part/context.js';
import { Icon } from '../part/icon.js';
import { ActionEditor } from '../form/action_editor.js';
import { ResetForm } from '../form/reset_form.js';
import { useActing } from '../session/acting.js';
import { defaultValue, quickActions } from '../schema/schema.js';
import { countText, numberText } from '../episode/format.js';
import { stepError } from '../episode/episode.js';
import { contractKey } from '../session/contract_key.js';
import { connectionText } from '../session/connection_text.js';
import { taskSource } from '../session/tasks.js';
import { stepsTaken } from '../session/store.js';

const MOST_KEYS = 9;

export function ActPane() {
  const { store, pageUrl, fetch } = usePage();
  const { ready, reset, run } = useActing();
  const about = usePageState((state) => state.about);
  const own = usePageState((state) => state.own);
  const running = usePageState((state) => state.running);
  const drafts = usePageState((state) => state.drafts);
  const recent = usePageState((state) => state.recentActions);
  const tools = usePageState((state) => state.tools);
  const phase = usePageState((state) => state.connection.phase);
  const resetOpen = usePageState((state) => state.resetOptions);
  const pane = useRef(null);

  const schema = about.contract.action;
  const byTool = useMemo(() => takesTools(schema) && tools.length > 0, [schema, tools]);
  const action = drafts.action ?? (byTool ? toolAction(tools[0]) : defaultValue(schema));
  const tasks = useMemo(() => (about.tasks ? taskSource(fetch, pageUrl, about.name) : null), [about]);

  const draftAction = (next) => store.dispatch({ type: 'actionDrafted', action: next });
  const offered = useOfferedActions(own, schema);
  const takeOffered = (index) => () => offered[index] && run(offered[index].action);
  const keys = Object.fromEntries(Array.from({ length: MOST_KEYS }, (_, index) => [String(index + 1), takeOffered(index)]));
  usePageKeys({ ...keys, r: reset, 'mod+Enter': () => pane.current.querySelector('.act-editor [type=submit]')?.click() });

  return html`<section class="act-pane" aria-label="Act" ref=${pane}>
    <header class="pane-head">
      <h2>Act</h2>
      <span class="spacer"></span>
      <button type="button" class="button button-small button-quiet" aria-expanded=${resetOpen} aria-controls="act-reset" onClick=${() => store.dispatch({ type: 'resetOptionsShown', shown: !resetOpen })}>
        Reset options<${Icon} name="down" />
      </button>
      <button type="button" class="button button-small act-reset-button" disabled=${!ready} onClick=${reset} aria-keyshortcuts="r" title="Start a new episode (r)">
        <${Icon} name="reset" />Reset
      </button>
    </header>
    <${ActStatus} />
    <div class="act-scroll">
      <div class="act-reset" id="act-reset" hidden=${!resetOpen}>
        <${ResetForm} value=${drafts.reset} onChange=${(next) => store.dispatch({ type: 'resetDrafted', reset: next })} onSubmit=${reset} busy=${!ready} tasks=${tasks} />
      </div>
      <${OfferedActions} offered=${offered} disabled=${!ready} onTake=${(index) => takeOffered(index)()} episode=${own?.key} isDone=${own?.done} onReset=${reset} />
      <div class="act-editor">
        ${byTool
          ? html`<${ToolAction} tools=${tools} action=${action} onChange=${draftAction} onSubmit=${run} busy=${Boolean(running)} disabled=${phase !== 'open'} recent=${recent} />`
          : html`<${ActionEditor} key=${contractKey(about)} schema=${schema} value=${action} onChange=${draftAction} onSubmit=${(value) => run(value ?? action)} submitLabel="Run step"
              busy=${Boolean(running)} disabled=${phase !== 'open'} idPrefix="action" history=${recent} />`}
      </div>
    </div>
  </section>`;
}

// One line that is always there, so that nothing below it moves when an episode ends.
function ActStatus() {
  const own = usePageState((state) => state.own);
  const over = usePageState((state) => state.ownIsOver);
  const running = usePageState((state) => state.running);
  const connection = usePageState((state) => state.connection);
  const { connection: line } = usePage();
  const last = own?.steps.at(-1);
  const error = stepError(last);
  let kind = '';
  let text;
  let button = null;
  if (connection.phase !== 'open') {
    kind = connection.phase === 'connecting' ? '' : 'act-status-warn';
    text = connectionText(connection);
    if (connection.phase !== 'connecting') button = html`<button type="button" class="button button-small" onClick=${() => line.retryNow()}>Try again</button>`;
  } else if (running) text = html`<${RunningText} running=${running} />`;
  else if (!own) text = 'No episode yet: the first step resets it';
  else if (over) {
    kind = 'act-status-warn';
    text = 'The session has ended – reset to start another';
  } else if (error) {
    kind = 'act-status-bad';
    text = html`<span title=${error.message}>${last.kind === 'reset' ? 'The reset' : `Step ${last.n}`} failed: ${error.message}</span>`;
  } else if (own.done) {
    kind = 'act-status-done';
    text = html`<${Icon} name="flag" /><b>Episode is over</b> – reset to start another`;
  } else text = html`${countText(stepsTaken(own), 'step')} · return ${numberText(own.return)}`;
  const showResult = () => document.querySelector('.step-pane')?.scrollIntoView({ behavior: 'smooth' });
  return html`<div class=${`act-status ${kind}`}>
    <span class="act-status-text" role="status">${text}</span>${button}
    ${own && !running && html`<button type="button" class="button button-small act-result" onClick=${showResult}>Result<${Icon} name="down" /></button>`}
  </div>`;
}

function RunningText({ running }) {
  const now = useClock(0.5);
  const seconds = Math.floor((now - running.since) / 1000);
  return html`<span class="dot dot-pulse"></span> ${running.label}…${seconds >= 1 ? ` ${seconds} s` : ''}`;
}

// What the environment suggests now, else the few actions that there are at all.
function useOfferedActions(own, schema) {
  const few = useMemo(() => quickActions(schema) ?? [], [schema]);
  const suggested = own?.steps.at(-1)?.suggested_actions;
  const [shown, setShown] = useState([]);
  const next = suggested?.length > 0 ? suggested : own?.done ? [] : few;
  // Until the view of a new step has come, the buttons of the last one stay.
  useEffect(() => {
    if (suggested !== undefined || !own || own.steps.length === 0) setShown(next);
  }, [suggested, own?.done, few]);
  return shown;
}

function OfferedActions({ offered, disabled, onTake, episode, isDone, onReset }) {
  const box = useRef(null);
  const tallest = useRef({ episode: null, height: 0 });
  const [hasRoom, setHasRoom] = useState(false);
  // Run is below: the box keeps the greatest height it had in an episode.
  useLayoutEffect(() => {
    if (tallest.current.episode !== episode) tallest.current = { episode, height: 0 };
    setHasRoom(tallest.current.height > 60);
    box.current.style.minHeight = '';
    tallest.current.height = Math.max(tallest.current.height, box.current.offsetHeight);
    box.current.style.minHeight = `${tallest.current.height}px`;
  });
  return html`<div class="offered" ref=${box}>
    ${offered.length > 0 && html`<div role="group" aria-label="Suggested actions">
      <h3 class="offered-title">Suggested actions</h3>
      <div class="offered-list">
        ${offered.map(({ label }, index) => html`<button type="button" class="button button-small" disabled=${disabled} key=${`${index}-${label}`}
          aria-keyshortcuts=${index < MOST_KEYS ? String(index + 1) : undefined} onClick=${() => onTake(index)}>
          ${index < MOST_KEYS && html`<kbd aria-hidden="true">${index + 1}</kbd>`}<span>${label}</span>
        </button>`)}
      </div>
    </div>`}
    ${offered.length === 0 && isDone && hasRoom && html`<div>
      <button type="button" class="button button-primary" disabled=${disabled} onClick=${onReset}><${Icon} name="reset" />Start another episode</button>
    </div>`}
  </div>`;
}

// An environment whose actions are calls of tools: pick one, and fill in what it takes.
function ToolAction({ tools, action, onChange, onSubmit, busy, disabled, recent }) {
  const tool = tools.find((one) => one.name === action.tool_name) ?? tools[0];
  const pick = (name) => onChange(toolAction(tools.find((one) => one.name === name), action));
  const history = recent.filter((past) => past.tool_name === tool.name).map((past) => past.arguments);
  const submit = (args) => onSubmit({ ...toolAction(tool), arguments: args ?? action.arguments });
  return html`<div class="field act-tool">
      <label for="act-tool">Tool</label>
      <select id="act-tool" class="select" value=${tool.name} onChange=${(event) => pick(event.target.value)} aria-describedby="act-tool-about">
        ${tools.map(({ name }) => html`<option value=${name} key=${name}>${name}</option>`)}
      </select>
      <p class="muted act-tool-about" id="act-tool-about">${tool.description}</p>
    </div>
    <${ActionEditor} key=${tool.name} schema=${tool.inputSchema} value=${action.arguments} onChange=${(args) => onChange({ ...toolAction(tool), arguments: args })}
      onSubmit=${submit} submitLabel="Run step" busy=${busy} disabled=${disabled} idPrefix=${`action-${tool.name}`} history=${history} />`;
}

function toolAction(tool, before) {
  const args = defaultValue(tool.inputSchema) ?? {};
  // What was filled in for another tool stays where this one has a field of the same name.
  const known = Object.keys(tool.inputSchema?.properties ?? {});
  for (const name of known) if (before?.arguments?.[name] !== undefined) args[name] = before.arguments[name];
  return { type: 'call_tool', tool_name: tool.name, arguments: args };
}

export function takesTools(schema) {
  return Boolean(schema?.properties?.tool_name && schema.properties.arguments);
}
