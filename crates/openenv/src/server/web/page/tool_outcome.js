// What a tool answered, by the kind of what it answered.

import { html } from './vendor/preact.js';
import { Icon } from './icon.js';
import { stepError } from './episode.js';
import { durationText } from './format.js';
import { JsonTree } from './json_tree.js';
import { CopyButton } from './copy_button.js';

export function ToolOutcome({ step }) {
  const error = stepError(step);
  const result = step.reply;
  const items = contentItems(result);
  const structured = structuredContent(result);
  return html`<section class="outcome" aria-label="Result">
    <header class="row">
      <span class=${`chip ${error ? 'chip-bad' : 'chip-good'}`}><${Icon} name=${error ? 'warning' : 'check'} />${error ? 'failed' : 'ok'}</span>
      <span class="muted">${durationText(step.took)}</span>
      <span class="spacer"></span>
      <${CopyButton} text=${JSON.stringify(result ?? step.error, null, 2)} label="Copy result" />
    </header>
    ${error && html`<div class="notice notice-bad outcome-error" role="alert">
      <span>${error.message}${error.code !== undefined && error.code !== null && html` <span class="mono">(${error.code})</span>`}</span>
    </div>`}
    ${error?.data !== undefined && html`<${JsonTree} value=${error.data} label="Details" />`}
    ${items.map((item, at) => html`<${ContentItem} key=${at} item=${item} />`)}
    ${structured !== undefined && html`<${JsonTree} value=${structured} label=${items.length > 0 ? 'Structured content' : 'Result'} />`}
  </section>`;
}

function ContentItem({ item }) {
  if (item.type === 'text') return html`<pre class="outcome-text">${item.text}</pre>`;
  if (item.type === 'image') return html`<img class="outcome-image" src=${`data:${item.mimeType ?? 'image/png'};base64,${item.data}`} alt="Image that the tool returned" />`;
  if (item.type === 'resource' && typeof item.resource?.text === 'string') {
    return html`<figure><figcaption class="mono muted">${item.resource.uri}</figcaption><pre class="outcome-text">${item.resource.text}</pre></figure>`;
  }
  return html`<${JsonTree} value=${item} label=${item.type ?? 'Content'} />`;
}

// Texts that only repeat the structured content are left out: the tree shows the same, readable.
function contentItems(result) {
  if (!Array.isArray(result?.content)) return [];
  const structured = JSON.stringify(structuredContent(result) ?? null);
  return result.content.filter((item) => !(item.type === 'text' && sameJson(item.text, structured)));
}

function structuredContent(result) {
  if (result === null || result === undefined) return undefined;
  const structured = result.structuredContent ?? result.structured_content;
  if (structured !== undefined && structured !== null) return structured;
  return Array.isArray(result.content) ? undefined : result.data ?? result;
}

function sameJson(text, json) {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
