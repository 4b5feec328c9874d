// A value of one of several types: which, and then its own fields.

import { html, useRef, useState } from './vendor/preact.js';
import { useForm } from './form_context.js';
import { ChoiceControl } from './form_choice.js';
import { ObjectFields } from './form_object.js';
import { describeNode } from './shape.js';
import { bestOption, fitness } from './shape_fit.js';
import { convertValue } from './schema.js';

/** `part`: how many unions are around this one at the same place. */
export function UnionControl({ shape, name, path, value, onChange, control, labelId, part }) {
  const { root, Field } = useForm();
  const [picked, setPicked] = useState(null);
  // What was filled in for a type comes back when it is chosen again.
  const drafts = useRef(new Map());
  const best = bestOption(root, shape, value);
  const fit = (index) => fitness(root, shape.options[index].node, value);
  const at = picked !== null && (value === undefined || fit(picked) === fit(best)) ? picked : best;
  const option = shape.options[at];
  const inner = describeNode(root, option.node);
  const pick = (index) => {
    drafts.current.set(at, value);
    setPicked(index);
    onChange(drafts.current.get(index) ?? convertValue(root, shape.options[index].node, value));
  };
  const choices = shape.options.map(({ label, description }, index) => ({ label, value: index, description }));
  const base = control.id + '--part'.repeat(part);
  return html`<div class="form-union" id=${`${base}--union`} role="group" aria-labelledby=${labelId} aria-describedby=${control['aria-describedby']}>
    <${ChoiceControl} choices=${choices} value=${at} onChange=${pick} control=${{ id: `${base}--type`, disabled: control.disabled, 'aria-label': `Type of ${name || 'the value'}` }} />
    ${inner.kind === 'object' && html`<${ObjectFields} key=${at} shape=${inner} path=${path} value=${value} onChange=${onChange} hidden=${shape.tag} />`}
    ${!['object', 'const', 'null'].includes(inner.kind) && html`<${Field} key=${at} node=${option.node} name=${name} path=${path} required=${true} value=${value} onChange=${onChange} label=${option.label} isBare=${true} part=${part + 1} />`}
  </div>`;
}
