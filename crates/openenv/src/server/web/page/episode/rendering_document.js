// The document around what an environment draws as HTML.

const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:";

const DRAWING_STYLE = `
:root { color-scheme: light; --drawing-text: #17181c; --drawing-line: #d5d5de; --drawing-soft: #f1f1f5; }
:root.dark { color-scheme: dark; --drawing-text: #ecedf1; --drawing-line: #3a3d47; --drawing-soft: #24262d; }
html { background: #fff; color: var(--drawing-text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
html.dark { background: #16171b; }
body { margin: 12px; overflow-wrap: break-word; }
img, svg, video, canvas { max-width: 100%; height: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--drawing-line); padding: 4px 8px; }
pre, code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
pre { overflow: auto; background: var(--drawing-soft); padding: 8px; border-radius: 6px; }
a { color: inherit; }
`;

/**
 * HTML of an environment as a document for a frame that is sandboxed: no scripts, no requests.
 * The policy stands first, so that it holds for everything after it.
 */
export function renderingDocument(content, theme) {
  return `<!doctype html><html class="${theme === 'dark' ? 'dark' : 'light'}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${DRAWING_POLICY}"><meta name="viewport" content="width=device-width"><style>${DRAWING_STYLE}</style></head><body>${content}</body></html>`;
}

/** The address of a rendering that is an image; scripts in SVG do not run in images. */
export function renderingAddress(rendering) {
  const { kind, content, media_type: mediaType } = rendering;
  if (kind === 'svg') return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(content)}`;
  if (content.startsWith('data:image/')) return content;
  return `data:${mediaType || 'image/png'};base64,${content}`;
}

/** Indices of the steps that have a rendering. */
export function drawnSteps(steps) {
  return steps.flatMap((step, index) => (step.rendering ? [index] : []));
}

/** Of `drawn`, the place of the last one that is not after `index`; of the first one if all are. */
export function drawnBefore(drawn, index) {
  let place = 0;
  for (let at = 0; at < drawn.length && drawn[at] <= index; at += 1) place = at;
  return place;
}
