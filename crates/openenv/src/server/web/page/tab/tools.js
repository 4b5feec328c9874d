// The tools of the environment: what they take, and what they answer.

import { html, useEffect, useMemo, useState } from '../vendor/preact.js';
import { usePage, usePageKeys, usePageState } from '../part/context.js';
import { Empty, IconButton, SearchInput } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { ActionEditor } from '../form/action_editor.js';
import { SchemaView } from '../form/schema_view.js';
import { defaultValue } from '../schema/schema.js';
import { ToolResult } from '../view/tool_result.js';
import { ErrorBox } from '../view/error_box.js';
import { CopyButton } from '../part/copy_button.js';
import { stepError, tookTitle } from '../episode/episode.js';
import { durationText } from '../episode/format.js';
import { Exchanges } from './exchanges.js';

export function Tools({ chosen }) {
  const { session, toast, navigate } = usePage();
  const tools = usePageState((state) => state.tools);
  const [search, setSearch] = useState('');
  const [loading, setLoading] = useState(false);
  const found = useMemo(() => findTools(tools, search), [tools, search]);
  const tool = tools.find(({ name }) => name === chosen) ?? found[0] ?? null;

  const refresh = async () => {
    setLoading(true);
    try {
      const { length } = await session.listTools();
      toast(`${length} tools`, { kind: 'good', seconds: 2 });
    } catch (problem) {
      toast(`The tools could not be listed: ${problem.message}`, { kind: 'bad' });
    }
    setLoading(false);
  };

  if (tools.length === 0) {
    return html`<${Empty} icon="tools" title="This environment has no tools">
      <p>Agents that speak MCP find nothing to call here. Actions are taken in Play.</p>
      <button type="button" class="button" onClick=${refresh} disabled=${loading}><${Icon} name="reset" />Ask again</button>
    </${Empty}>`;
  }
  return html`<div class=${`tools ${chosen ? 'tools-chosen' : ''}`}>
    <section class="tools-list" aria-label="Tools">
      <header class="pane-head"><h2>Tools</h2><span class="chip">${tools.length}</span><span class="spacer"></span>
        <${IconButton} icon="reset" label="List the tools again" onClick=${refresh} disabled=${loading} /></header>
      <div class="tools-search"><${SearchInput} label="Search tools" value=${search} onInput=${setSearch} /></div>
      <ul>
        ${found.map((one) => html`<li key=${one.name}>
          <a class="tools-entry" href=${`#/tools/${encodeURIComponent(one.name)}`} aria-current=${one === tool ? 'true' : undefined}>
            <span class="mono tools-name">${one.name}</span>
            <${ToolBadges} tool=${one} />
            <span class="muted tools-about">${one.description}</span>
          </a>
        </li>`)}
      </ul>
      ${found.length === 0 && html`<p class="muted tools-none">No tool has “${search}” in its name or description.</p>`}
    </section>
    <section class="tools-call" aria-label=${tool ? `Tool ${tool.name}` : 'Tool'}>
      ${tool && html`<${ToolCall} key=${tool.name} tool=${tool} onBack=${() => navigate({ view: 'tools' })} />`}
    </section>
    <${Exchanges} />
  </div>`;
}

function ToolCall({ tool, onBack }) {
  const { store, session } = usePage();
  const draft = usePageState((state) => state.drafts.tools[tool.name]);
  const running = usePageState((state) => state.running);
  const phase = usePageState((state) => state.connection.phase);
  const own = usePageState((state) => state.own);
  const value = draft ?? defaultValue(tool.inputSchema) ?? {};
  const past = useMemo(
    () => (own?.steps ?? []).filter((step) => step.kind === 'tool' && step.request.name === tool.name).reverse(),
    [own?.steps, tool.name],
  );
  const last = past[0];
  const call = (given) => session.callTool(tool.name, given ?? value);
  usePageKeys({ 'mod+Enter': () => document.querySelector('.tools-form [type=submit]')?.click() });
  useEffect(() => {
    document.querySelector('.tools-call')?.scrollTo(0, 0);
  }, [tool.name]);

  return html`<header class="pane-head tools-head">
      <span class="tools-back"><${IconButton} icon="left" label="All tools" onClick=${onBack} /></span>
      <h2 class="mono">${tool.name}</h2><${ToolBadges} tool=${tool} />
    </header>
    <div class="tools-body">
      ${tool.title && tool.title !== tool.name && html`<p><b>${tool.title}</b></p>`}
      <p class="tools-description">${tool.description}</p>
      <div class="tools-form">
        <${ActionEditor} schema=${tool.inputSchema ?? { type: 'object' }} value=${value} onChange=${(next) => store.dispatch({ type: 'toolDrafted', name: tool.name, value: next })}
          onSubmit=${call} submitLabel="Call tool" busy=${Boolean(running)} disabled=${phase !== 'open'} idPrefix=${`tool-${tool.name}`}
          history=${past.map((step) => step.request.arguments)} />
      </div>
      <div class="tools-result" aria-live="polite">${last && html`<${ToolOutcome} step=${last} />`}</div>
      ${tool.outputSchema && html`<details class="tools-schema"><summary>What it returns</summary><${SchemaView} schema=${tool.outputSchema} /></details>`}
    </div>`;
}

function ToolOutcome({ step }) {
  const error = stepError(step);
  return html`<section class="outcome" aria-label="Result">
    <header class="row">
      <h3>Result</h3>
      <span class=${`chip ${error ? 'chip-bad' : 'chip-good'}`}><${Icon} name=${error ? 'warning' : 'check'} />${error ? 'failed' : 'ok'}</span>
      <span class="muted" title=${tookTitle(step)}>${durationText(step.took)}</span>
      <span class="spacer"></span>
      <${CopyButton} text=${() => JSON.stringify(step.reply ?? step.error, null, 2)} label="Copy result" />
    </header>
    ${error && html`<${ErrorBox} error=${error} />`}
    ${!step.error && !error && html`<${ToolResult} result=${step.reply} />`}
  </section>`;
}

function ToolBadges({ tool }) {
  const hints = tool.annotations ?? {};
  const badges = [];
  if (hints.readOnlyHint) badges.push(['chip-good', 'read only', 'Changes nothing']);
  if (hints.destructiveHint) badges.push(['chip-bad', 'destructive', 'May delete or overwrite']);
  if (hints.idempotentHint && !hints.readOnlyHint) badges.push(['', 'idempotent', 'The same call again changes nothing more']);
  if (hints.openWorldHint) badges.push(['chip-info', 'open world', 'Reaches beyond the environment']);
  return badges.map(([kind, label, title]) => html`<span key=${label} class=${`chip ${kind}`} title=${title}>${label}</span>`);
}

export function findTools(tools, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = `${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
