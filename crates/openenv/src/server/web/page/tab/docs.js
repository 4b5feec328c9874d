// What the environment is, what it takes and gives, and how to connect to it.

import { html, useMemo, useState } from '../vendor/preact.js';
import { usePage, usePageState } from '../part/context.js';
import { CopyButton } from '../part/copy_button.js';
import { SchemaView } from '../form/schema_view.js';
import { exampleValue } from '../schema/example.js';
import { connectionSnippets } from './snippets.js';
import { environmentUrl } from './episode_pane.js';
import { takesTools } from './act_pane.js';

const SCHEMAS = [
  ['action', 'Action', 'What a step takes'],
  ['observation', 'Observation', 'What a step gives back, besides reward and done'],
  ['reset_observation', 'Observation of a reset', 'What a reset gives back'],
  ['state', 'State', 'What can be asked for at any time'],
];

export function Docs() {
  const { pageUrl } = usePage();
  const about = usePageState((state) => state.about);
  const tools = usePageState((state) => state.tools);
  const { metadata, contract, readme_html: readme } = about;
  const production = about.mode === 'production';
  const schemas = shownSchemas(contract, production);
  const url = environmentUrl(pageUrl);

  return html`<div class="docs">
    <nav class="docs-nav" aria-label="On this page">
      ${[['about', 'About'], ['connect', 'Connect'], ...schemas.map(([id, label]) => [id, label]), ['routes', 'Routes']].map(([id, label]) => html`<a key=${id} href="#/docs" onClick=${(event) => scrollToPart(event, id)}>${label}</a>`)}
    </nav>
    <div class="docs-body">
      <section id="docs-about">
        <h1>${metadata?.name ?? about.name}</h1>
        <p class="docs-lead">${metadata?.description}</p>
        <p class="row docs-facts">
          ${metadata?.version && html`<span class="chip">version ${metadata.version}</span>`}
          ${metadata?.author && html`<span class="chip">by ${metadata.author}</span>`}
          <span class="chip">${about.mode}</span>
          <span class="chip">openenv-rs ${about.server_version}</span>
          ${isWebUrl(metadata?.documentation_url) && html`<a href=${metadata.documentation_url} rel="noopener noreferrer" target="_blank">Documentation</a>`}
        </p>
        ${readme && html`<div class="panel docs-readme" ref=${openLinksInNewTab} dangerouslySetInnerHTML=${{ __html: readme }}></div>`}
      </section>
      <section id="docs-connect" tabindex="-1">
        <h2>Connect</h2>
        <p class="row docs-facts"><span class="muted">The address is</span><code>${url}</code><${CopyButton} text=${url} label="Copy address" /></p>
        <${Snippets} url=${url} about=${about} tools=${tools} />
      </section>
      ${schemas.map(([id, label, text]) => html`<section id=${`docs-${id}`} key=${id} tabindex="-1">
        <h2>${label}</h2>
        <p class="muted">${text}.</p>
        <div class="panel panel-body"><${SchemaView} schema=${contract[id]} /></div>
      </section>`)}
      <section id="docs-routes" tabindex="-1">
        <h2>Routes</h2>
        <ul class="docs-routes">
          <li><a href="../docs">HTTP routes, to try in the browser</a> <span class="muted">OpenAPI</span></li>
          <li><a href="../schema">The schemas as JSON</a></li>
          <li><a href="../metadata">What the environment says of itself</a></li>
          <li><a href="../health">Whether the server is well</a></li>
        </ul>
      </section>
    </div>
  </div>`;
}

function Snippets({ url, about, tools }) {
  const snippets = useMemo(() => {
    const schema = about.contract?.action;
    const action = takesTools(schema) ? { type: 'call_tool', tool_name: tools[0]?.name ?? 'NAME', arguments: {} } : exampleValue(schema);
    return connectionSnippets({ url, name: about.name, action, tools, production: about.mode === 'production' });
  }, [url, about, tools]);
  const [chosen, setChosen] = useState(snippets[0]?.id);
  const shown = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  if (!shown) return null;
  const onKeyDown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = snippets[(snippets.indexOf(shown) + by + snippets.length) % snippets.length];
    setChosen(next.id);
    document.getElementById(`snippet-${next.id}`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label="Ways to connect" onKeyDown=${onKeyDown}>
      ${snippets.map(({ id, label }) => html`<button type="button" role="tab" class="tab" key=${id} id=${`snippet-${id}`} aria-selected=${id === shown.id}
        aria-controls="snippet-code" tabindex=${id === shown.id ? 0 : -1} onClick=${() => setChosen(id)}>${label}</button>`)}
    </div>
    <div class="code docs-code" role="tabpanel" id="snippet-code" aria-labelledby=${`snippet-${shown.id}`}>
      <p class="docs-note muted">${shown.note}</p>
      <pre tabindex="0" aria-label=${`${shown.label} example`}><code>${shown.code}</code></pre>
      <span class="code-copy"><${CopyButton} text=${shown.code} label="Copy" /></span>
    </div>`;
}

function shownSchemas(contract, production) {
  if (production || !contract) return [];
  const same = JSON.stringify(contract.observation) === JSON.stringify(contract.reset_observation);
  return SCHEMAS.filter(([id]) => contract[id] && !(id === 'reset_observation' && same));
}

// The hash belongs to the router.
function scrollToPart(event, id) {
  event.preventDefault();
  const part = document.getElementById(`docs-${id}`);
  part?.scrollIntoView({ behavior: 'smooth', block: 'start' });
  part?.focus({ preventScroll: true });
}

// Who follows a link out of the README comes back to the session of this tab.
function openLinksInNewTab(readme) {
  for (const link of readme?.querySelectorAll('a[href]') ?? []) {
    if (link.origin === location.origin) continue;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
}

function isWebUrl(text) {
  return /^https?:\/\//.test(text ?? '');
}
