// What all fields of a form share.

import { createContext, useContext, useEffect } from '../vendor/preact.js';
import { pathKey } from '../schema/json_text.js';

// `{ root, idPrefix, disabled, showAll, problems, touched, touch(path), report(key, problem | null), revision, Field }`, where `problems`
// maps the key of a path to messages, and `revision` changes when the value does from outside. Fields inside of fields take `Field` from here, since modules do not import each other in a circle.
export const FormContext = createContext(null);

export function useForm() {
  return useContext(FormContext);
}

/** Tells the form about a problem that its value cannot show, such as text that is not JSON yet; `teller` tells several at one place apart. */
export function useLocalProblem(path, message, teller = '') {
  const { report } = useForm();
  const key = pathKey(path) + teller;
  useEffect(() => {
    report(key, message === null ? null : { path, message });
    return () => report(key, null);
  }, [key, message]);
}

/** The id of a place. What belongs to it has an id that goes on with `--`, which no place has. */
export function fieldId(idPrefix, path) {
  const encoded = (text, allowed) => text.replace(allowed, (mark) => `_${mark.codePointAt(0).toString(36)}`);
  return [encoded(idPrefix, /[^\w-]/gu), ...path.map((part) => encoded(String(part), /\W/gu) || '_')].join('-');
}

export function problemsBelow(problems, path) {
  const start = pathKey(path).slice(0, -1);
  let count = 0;
  for (const [key, messages] of problems) {
    if (key.startsWith(start) && (path.length === 0 || ',]'.includes(key[start.length]))) count += messages.length;
  }
  return count;
}

/** Moves the focus to a place of a form, or to what is nearest around it. */
export function focusField(container, idPrefix, path) {
  for (let length = path.length; length >= 0; length -= 1) {
    const id = CSS.escape(fieldId(idPrefix, path.slice(0, length)));
    const place = container?.querySelector(`#${id}`) ?? container?.querySelector(`#${id}--union`);
    if (!place) continue;
    for (let fold = place.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
    const control = place.matches('input,textarea,select,button') ? place : place.querySelector('input,textarea,select,button');
    control?.focus();
    control?.scrollIntoView({ block: 'nearest' });
    return Boolean(control);
  }
  return false;
}
