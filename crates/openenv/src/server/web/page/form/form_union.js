// A value of one of several types: which, and then its own fields.

import { html, useRef, useState } from '../vendor/preact.js';
import { useForm, useLocalProblem } from './form_context.js';
import { ChoiceControl } from './form_choice.js';
import { ObjectFields } from './form_object.js';
import { FieldErrors } from './form_parts.js';
import { describeNode } from '../schema/shape.js';
import { bestOption, fitness } from '../schema/shape_fit.js';
import { convertValue } from '../schema/schema.js';
import { validateValue } from '../schema/validate.js';
import { pathName, sameJson } from '../schema/json_text.js';

/** `part`: how many unions are around this one at the same place. */
export function UnionControl({ shape, name, path, value, onChange, required, control, labelId, part }) {
  const { root, showAll, Field } = useForm();
  // The type that was chosen stays while somebody fills it in, even where what is there so far looks more like another one.
  const [chosen, setChosen] = useState(null);
  // What was filled in for a type comes back when it is chosen again.
  const drafts = useRef(new Map());
  const best = bestOption(root, shape, value);
  const at = chosen !== null && sameJson(chosen.value, value) ? chosen.at : best;
  const option = shape.options[at];
  const inner = describeNode(root, option.node);
  const change = (next, index = at) => {
    setChosen({ at: index, value: next });
    onChange(next);
  };
  const pick = (index) => {
    drafts.current.set(at, value);
    change(drafts.current.get(index) ?? convertValue(root, shape.options[index].node, value), index);
  };
  const misfit = optionMisfit({ root, shape, at, best, value, required, path });
  useLocalProblem(misfit?.path ?? path, misfit?.message ?? null, `type ${part}`);
  const isTold = misfit !== null && (showAll || !misfit.missing);
  const choices = shape.options.map(({ label, description }, index) => ({ label, value: index, description }));
  const base = control.id + '--part'.repeat(part);
  const misfitId = `${base}--misfit`;
  return html`<div class="form-union" id=${`${base}--union`} role="group" aria-labelledby=${labelId} aria-describedby=${control['aria-describedby']}>
    <${ChoiceControl} choices=${choices} value=${at} onChange=${pick} control=${{ id: `${base}--type`, disabled: control.disabled, 'aria-label': `Type of ${name || 'the value'}` }} />
    ${inner.kind === 'object' && html`<${ObjectFields} key=${at} shape=${inner} path=${path} value=${value} onChange=${change} hidden=${shape.tag} />`}
    ${!['object', 'const', 'null'].includes(inner.kind) && html`<${Field} key=${at} node=${option.node} name=${name} path=${path} required=${true} value=${value} onChange=${change} label=${option.label} isBare=${true} part=${part + 1}
      misfitId=${isTold ? misfitId : undefined} />`}
    <${FieldErrors} id=${misfitId} messages=${isTold ? [misfit.message] : []} />
  </div>`;
}

/** Why a value is none of the type that was chosen, although it may be right as another one or when it is left out. */
function optionMisfit({ root, shape, at, best, value, required, path }) {
  if (value === undefined) return required ? null : { path, message: `${pathName(path)} is empty: fill it in or leave it out` };
  const fit = (index) => fitness(root, shape.options[index].node, value);
  if (fit(at) >= fit(best)) return null;
  return validateValue(root, shape.options[at].node, value, path)[0] ?? null;
}
