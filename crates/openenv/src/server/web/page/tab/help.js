// The keys of the page.

import { html } from '../vendor/preact.js';
import { MOD } from '../part/keys.js';
import { Modal } from '../part/parts.js';

const HELP_GROUPS = [
  ['Act', [
    [[MOD, 'Enter'], 'Run the step, or call the tool, as it is filled in'],
    [['1', '…', '9'], 'Take a suggested action'],
    [['r'], 'Reset: start a new episode'],
    [['Alt', '↑'], 'Bring back what you ran before, in the form'],
  ]],
  ['Look', [
    [['j'], 'Next step (also ↓ and →)'],
    [['k'], 'Previous step (also ↑ and ←)'],
    [['o'], 'Observation; d diff, s state, w raw frames, l logs'],
  ]],
  ['Go to', [
    [['g', 'p'], 'Play'],
    [['g', 't'], 'Tools'],
    [['g', 's'], 'Sessions'],
    [['g', 'e'], 'Episodes'],
    [['g', 'd'], 'Docs'],
    [['?'], 'These keys'],
  ]],
];

export function Help({ onClose, production }) {
  const groups = production ? HELP_GROUPS.slice(1) : HELP_GROUPS;
  return html`<${Modal} title="Keys" onClose=${onClose}>
    <div class="help">
      ${groups.map(([name, keys]) => html`<section key=${name}>
        <h3>${name}</h3>
        <dl>${keys.map(([strokes, what]) => html`<div>
          <dt>${strokes.map((stroke) => (stroke === '…' ? html`<span class="muted">…</span>` : html`<kbd>${stroke}</kbd>`))}</dt><dd>${what}</dd>
        </div>`)}</dl>
      </section>`)}
    </div>
    <p class="muted">Keys without ${MOD} do nothing while you type in a field; Esc leaves it.</p>
  </${Modal}>`;
}
