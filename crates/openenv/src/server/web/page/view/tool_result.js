// What a tool returned, in whichever of its dialects.

import { html, useMemo } from '../vendor/preact.js';
import { sameValue } from '../episode/diff.js';
import { bytesText } from '../episode/format.js';
import { imageOf } from '../episode/image.js';
import { JsonTree } from './json_tree.js';
import { Picture } from './picture.js';
import { TerminalText } from './terminal_text.js';

const JSON_START = /^\s*[[{]/;

/** `{pieces, data}` of a result: what an agent gets to read, and the data where there is some. */
export function readToolResult(result) {
  if (result === null || result === undefined) return { pieces: [], data: undefined };
  if (typeof result !== 'object' || Array.isArray(result)) return { pieces: [], data: result };
  const data = result.data ?? result.structuredContent ?? result.structured_content ?? undefined;
  if (!Array.isArray(result.content)) return { pieces: [], data: data === undefined ? result : data };
  // Servers repeat the data as text for clients that read nothing else.
  const repeats = (piece) => {
    if (data === undefined || piece?.type !== 'text') return false;
    const said = toolJson(piece.text);
    return said === undefined ? piece.text === data || piece.text === data?.result : sameValue(said, data) || sameValue(said, data?.result);
  };
  const pieces = result.content.filter((piece) => !repeats(piece));
  return { pieces, data: data === null ? undefined : data };
}

function toolJson(text) {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function ToolResult({ result }) {
  const { pieces, data } = useMemo(() => readToolResult(result), [result]);
  if (pieces.length === 0 && data === undefined) return html`<p class="inspector-none">The tool returned nothing.</p>`;
  return html`<div class="tool-result">
    ${pieces.map((piece, at) => html`<${ToolPiece} key=${at} piece=${piece} />`)}
    ${data === undefined ? null : typeof data === 'string' ? html`<${ToolText} text=${data} />` : html`<${JsonTree} value=${data} label="data" />`}
  </div>`;
}

function ToolText({ text }) {
  const json = JSON_START.test(text) ? toolJson(text) : undefined;
  return json === undefined ? html`<${TerminalText} text=${text} label="result" />` : html`<${JsonTree} value=${json} label="result" />`;
}

function ToolPiece({ piece }) {
  if (piece?.type === 'text' && typeof piece.text === 'string') return html`<${ToolText} text=${piece.text} />`;
  const image = imageOf(piece, null);
  if (image) return html`<${Picture} image=${image} label="image of the tool" />`;
  if (typeof piece?.data === 'string') {
    const mediaType = piece.mimeType ?? piece.mime_type ?? 'application/octet-stream';
    return html`<p class="tool-file"><a href=${`data:${mediaType};base64,${piece.data}`} download="result">Save ${mediaType}</a> <span>${bytesText(Math.floor((piece.data.length * 3) / 4))}</span></p>`;
  }
  const resource = piece?.resource;
  if (typeof resource?.text === 'string') return html`<p class="tool-source">${resource.uri}</p><${ToolText} text=${resource.text} />`;
  return html`<${JsonTree} value=${piece} label=${piece?.type ?? 'content'} />`;
}
