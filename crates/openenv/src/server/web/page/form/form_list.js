// Lists: items that come, go and move, and lists whose places have types of their own.

import { html, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { useForm } from './form_context.js';
import { FormIconButton, SmallButton } from './form_parts.js';
import { SeveralControl } from './form_choice.js';
import { describeNode } from '../schema/shape.js';
import { addedValue } from '../schema/schema.js';
import { numberFromText } from '../schema/json_text.js';

const MOST_ITEMS_SHOWN = 50;
let lastItem = 0;

/** Keys that follow items when they move, so that what was typed in one does not show in another. */
function useItemKeys(length) {
  const keys = useRef([]);
  while (keys.current.length < length) keys.current.push((lastItem += 1));
  keys.current.length = length;
  return keys.current;
}

export function ListControl(props) {
  const { root } = useForm();
  const item = describeNode(root, props.shape.item);
  if (props.shape.schema.uniqueItems && item.kind === 'enum' && item.choices.length <= 12) {
    return html`<${SeveralControl} ...${props} choices=${item.choices} />`;
  }
  const { minItems, maxItems } = props.shape.schema;
  return html`<${ItemsControl} ...${props} itemNode=${() => props.shape.item} canMove=${true} fixed=${minItems === maxItems ? minItems : 0} />`;
}

/** Places that must be there have no buttons to remove them. */
export function TupleControl(props) {
  const { items, rest, schema } = props.shape;
  const fixed = schema.minItems ?? items.length;
  return html`<${ItemsControl} ...${props} itemNode=${(index) => items[index] ?? rest} fixed=${fixed} most=${rest === false ? items.length : Infinity}
    itemName=${(index) => (index < items.length ? describeNode(props.root, items[index]).schema.title : undefined)} />`;
}

function ItemsControl({ shape, name, path, value, onChange, control, labelId, itemNode, itemName, canMove = false, fixed = 0, most = Infinity }) {
  const { root, disabled, Field } = useForm();
  const items = Array.isArray(value) ? value : [];
  const keys = useItemKeys(items.length);
  const box = useRef(null);
  const focusNext = useRef(null);
  const [showsAll, setShowsAll] = useState(false);
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    const { key, what } = focusNext.current;
    focusNext.current = null;
    const place = key === null ? box.current : box.current?.querySelector(`[data-item="${key}"]`);
    (place?.querySelector(what) ?? place?.querySelector('input,textarea,select,button'))?.focus();
  });
  const limit = Math.min(shape.schema.maxItems ?? Infinity, most);
  const shown = showsAll ? items : items.slice(0, MOST_ITEMS_SHOWN);

  const add = () => {
    setShowsAll(showsAll || items.length >= MOST_ITEMS_SHOWN);
    keys.push((lastItem += 1));
    focusNext.current = { key: keys.at(-1), what: 'input,textarea,select' };
    onChange([...items, addedValue(root, describeNode(root, itemNode(items.length)))]);
  };
  const remove = (index) => {
    keys.splice(index, 1);
    const near = keys[Math.min(index, keys.length - 1)];
    focusNext.current = near === undefined ? { key: null, what: '.form-add button' } : { key: near, what: '.form-item-remove' };
    onChange(items.filter((_, at) => at !== index));
  };
  const move = (index, by, what) => {
    const to = index + by;
    if (to < 0 || to >= items.length) return;
    const next = [...items];
    next.splice(to, 0, ...next.splice(index, 1));
    keys.splice(to, 0, ...keys.splice(index, 1));
    focusNext.current = { key: keys[to], what };
    onChange(next);
  };
  const change = (index, inside) => onChange(items.map((item, at) => (at === index ? inside : item)));
  const onPaste = (event, index) => {
    const numbers = pastedNumbers(event.clipboardData?.getData('text') ?? '');
    const kind = describeNode(root, itemNode(index)).kind;
    if (numbers === null || !['integer', 'number'].includes(kind) || !canMove) return;
    event.preventDefault();
    onChange([...items.slice(0, index), ...numbers, ...items.slice(index + 1)]);
  };
  const onKeyDown = (event, index) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !canMove || !event.altKey || !event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(index, by, 'input,textarea,select');
  };

  return html`<div class="form-list" ref=${box} id=${control.id} role="group" aria-labelledby=${labelId} aria-describedby=${control['aria-describedby']}>
    ${items.length > 0 && html`<ol class="form-items">
      ${shown.map((item, index) => html`<li key=${keys[index]} data-item=${keys[index]} class="form-item" onPaste=${(event) => onPaste(event, index)} onKeyDown=${(event) => onKeyDown(event, index)}>
        <span class="form-item-number" aria-hidden="true">${itemName?.(index) ?? index + 1}</span>
        <div class="form-item-body">
          <${Field} node=${itemNode(index)} name=${name} path=${[...path, index]} required=${true} value=${item} onChange=${(inside) => change(index, inside)}
            label=${`${name} ${itemName?.(index) ?? index + 1}`} isBare=${true} />
        </div>
        <div class="form-item-buttons">
          ${canMove && items.length > 1 && html`
            <${FormIconButton} icon="up" className="form-item-up" label=${`Move item ${index + 1} up`} disabled=${disabled || index === 0} onClick=${() => move(index, -1, '.form-item-up:not(:disabled), .form-item-down')} />
            <${FormIconButton} icon="down" className="form-item-down" label=${`Move item ${index + 1} down`} disabled=${disabled || index === items.length - 1} onClick=${() => move(index, 1, '.form-item-down:not(:disabled), .form-item-up')} />`}
          ${index >= fixed && html`<${FormIconButton} icon="remove" className="form-item-remove" label=${`Remove item ${index + 1}`} disabled=${disabled} onClick=${() => remove(index)} />`}
        </div>
      </li>`)}
    </ol>`}
    <div class="form-add">
      ${items.length > shown.length && html`<${SmallButton} onClick=${() => setShowsAll(true)}>Show ${items.length - shown.length} more<//>`}
      ${(items.length < limit || limit > fixed) && html`<${SmallButton} icon="add" onClick=${add} disabled=${disabled || items.length >= limit}>Add an item<//>`}
      ${items.length >= limit && limit > fixed && html`<span class="form-muted">No more than ${limit}</span>`}
    </div>
  </div>`;
}

/** Several numbers at once, however they are separated; one number is pasted as usual. */
function pastedNumbers(text) {
  const parts = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,;]+/).filter((part) => part !== '');
  const numbers = parts.map(numberFromText);
  return parts.length > 1 && !numbers.includes(undefined) ? numbers : null;
}
