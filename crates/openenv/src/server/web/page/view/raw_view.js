// The frames of a step, as they went over the wire.

import { html, useMemo, useState } from '../vendor/preact.js';
import { CopyButton } from '../part/copy_button.js';
import { byteLength, bytesText, durationText } from '../episode/format.js';
import { TerminalText } from './terminal_text.js';

/** Frames of a step that was not recorded by this tab can be written again from what is known of it. */
export function framesOf(step) {
  if (typeof step.sent === 'string' || typeof step.received === 'string') {
    return { sent: step.sent ?? null, received: step.received ?? null, isRebuilt: false };
  }
  const rpc = { jsonrpc: '2.0', id: 1 };
  const isTool = step.kind === 'tool';
  const sent = isTool
    ? { type: 'mcp', data: { ...rpc, method: 'tools/call', params: step.request } }
    : { type: step.kind, data: step.request };
  const received = isTool
    ? { type: 'mcp', data: { ...rpc, ...(step.error ? { error: step.error } : { result: step.reply }) } }
    : step.error ? { type: 'error', data: step.error } : { type: 'observation', data: step.reply };
  return { sent: JSON.stringify(sent), received: step.reply || step.error ? JSON.stringify(received) : null, isRebuilt: true };
}

export function RawView({ step }) {
  const [isPretty, setPretty] = useState(true);
  const frames = useMemo(() => framesOf(step), [step]);
  return html`<div class="raw">
    <div class="raw-bar">
      <div class="views-segments" role="group" aria-label="How frames are shown">
        <button type="button" class="views-toggle" aria-pressed=${isPretty} onClick=${() => setPretty(true)}>Indented</button>
        <button type="button" class="views-toggle" aria-pressed=${!isPretty} onClick=${() => setPretty(false)}>Exact</button>
      </div>
      ${frames.isRebuilt ? html`<span class="raw-note">Written again from the recorded step; the spacing and order of the real frames may differ.</span>` : null}
    </div>
    <${RawFrame} title="Sent" text=${frames.sent} isPretty=${isPretty} />
    <${RawFrame} title="Received" text=${frames.received} isPretty=${isPretty} took=${step.took} />
  </div>`;
}

function RawFrame({ title, text, isPretty, took }) {
  const shown = useMemo(() => (text !== null && isPretty ? rawIndented(text) : text), [text, isPretty]);
  const facts = [text === null ? null : bytesText(byteLength(text)), typeof took === 'number' ? `after ${durationText(took)}` : null].filter(Boolean).join(' · ');
  return html`<section class="raw-frame">
    <header><h3>${title}</h3><span class="raw-facts">${facts}</span>${text === null ? null : html`<${CopyButton} text=${shown} label="Copy" />`}</header>
    ${text === null ? html`<p class="inspector-none">Nothing was ${title.toLowerCase()}.</p>` : html`<${TerminalText} text=${shown} label="${title} frame" />`}
  </section>`;
}

function rawIndented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
