// The JSON-RPC messages of the Tools tab, as they went over the wire.

import { html, useState } from '../vendor/preact.js';
import { usePage, usePageState } from '../part/context.js';
import { IconButton } from '../part/parts.js';
import { durationText } from '../episode/format.js';
import { CopyButton } from '../part/copy_button.js';

export function Exchanges() {
  const { store } = usePage();
  const exchanges = usePageState((state) => state.exchanges);
  return html`<section class="exchanges" aria-label="Messages">
    <header class="pane-head"><h2>Messages</h2><span class="muted">JSON-RPC</span><span class="spacer"></span>
      <${IconButton} icon="trash" label="Clear the messages" disabled=${exchanges.length === 0} onClick=${() => store.dispatch({ type: 'exchangesCleared' })} /></header>
    ${exchanges.length === 0 && html`<p class="muted exchanges-none">Requests and replies appear here, exactly as sent.</p>`}
    <ul>${exchanges.map((exchange) => html`<li key=${exchange.id}><${Exchange} exchange=${exchange} /></li>`)}</ul>
  </section>`;
}

function Exchange({ exchange }) {
  const [open, setOpen] = useState(false);
  const { method, name, failed, ms, sent, received } = exchange;
  return html`<details class="exchange" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>
      <span class=${`dot ${failed ? 'exchange-bad' : 'exchange-good'}`}></span>
      <span class="visually-hidden">${failed ? 'failed: ' : ''}</span>
      <span class="mono exchange-name">${name ?? method}</span>
      <span class="spacer"></span>
      <span class="muted nowrap">${durationText(ms)}</span>
    </summary>
    ${open && html`<div class="exchange-body">
      <${RawMessage} title="Sent" text=${sent} />
      <${RawMessage} title="Received" text=${received} />
    </div>`}
  </details>`;
}

function RawMessage({ title, text }) {
  return html`<div class="row"><h3>${title}</h3><span class="spacer"></span><${CopyButton} text=${text} label=${`Copy what was ${title.toLowerCase()}`} /></div>
    <pre class="exchange-text" tabindex="0" aria-label=${title}>${prettyFrame(text)}</pre>`;
}

// The frame around a JSON-RPC message belongs to the WebSocket, not to the message.
function prettyFrame(text) {
  try {
    const frame = JSON.parse(text);
    return JSON.stringify(frame.type === 'mcp' ? frame.data : frame, null, 2);
  } catch {
    return text;
  }
}
