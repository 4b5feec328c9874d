// Why a step failed.

import { html } from '../vendor/preact.js';
import { pathText } from '../episode/diff.js';
import { ViewIcon } from './view_icon.js';

const OUTER_NAMES = ['body', 'action', 'data'];

/** Errors of validation by field: `{place, message, given}`. */
export function fieldErrors(error) {
  if (!Array.isArray(error?.errors)) return [];
  return error.errors.map((problem) => {
    const loc = Array.isArray(problem?.loc) ? problem.loc : problem?.loc === undefined ? [] : [problem.loc];
    const inner = loc.length > 1 && OUTER_NAMES.includes(loc[0]) ? loc.slice(1) : loc;
    return { place: pathText(inner), message: problem?.msg ?? problem?.message ?? JSON.stringify(problem), given: problem?.input };
  });
}

export function ErrorBox({ error }) {
  const fields = fieldErrors(error);
  const rest = Object.entries(error).filter(([name, value]) => !['message', 'code', 'errors'].includes(name) && value !== null && value !== undefined);
  // The message of a validation error is the list below it, run together.
  const headline = fields.length > 0
    ? fields.length === 1 ? 'One value does not fit' : `${fields.length} values do not fit`
    : error.message ?? 'The call failed';
  return html`<div class="error-box" role="group" aria-label="Error">
    <p class="error-head"><${ViewIcon} name="warning" /><strong>${headline}</strong>${error.code === undefined || error.code === null ? null : html`<code>${error.code}</code>`}</p>
    ${fields.length > 0
      ? html`<ul class="error-fields">${fields.map((field) => html`<li>
          <code>${field.place || 'the whole'}</code> <span>${field.message}</span>
          ${field.given === undefined || typeof field.given === 'object' ? null : html`<span class="error-given">got <code>${JSON.stringify(field.given)}</code></span>`}
        </li>`)}</ul>`
      : null}
    ${rest.map(([name, value]) => html`<p class="error-rest"><code>${name}</code> ${typeof value === 'string' ? value : JSON.stringify(value)}</p>`)}
  </div>`;
}
