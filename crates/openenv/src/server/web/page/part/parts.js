// Small parts that several views are made of.

import { html, useEffect, useId, useRef, useState } from '../vendor/preact.js';
import { Icon } from './icon.js';

export function Empty({ icon, title, children }) {
  return html`<div class="empty">
    ${icon && html`<${Icon} name=${icon} />`}
    <h2>${title}</h2>
    ${children}
  </div>`;
}

export function IconButton({ icon, label, small = true, onClick, pressed, disabled }) {
  return html`<button type="button" class=${`button button-quiet button-icon ${small ? 'button-small' : ''}`}
    aria-label=${label} title=${label} aria-pressed=${pressed} disabled=${disabled} onClick=${onClick}><${Icon} name=${icon} /></button>`;
}

export function SearchInput({ label, value, onInput, placeholder }) {
  return html`<div class="search">
    <${Icon} name="search" />
    <input type="search" class="input input-search" aria-label=${label} placeholder=${placeholder ?? label}
      value=${value} onInput=${(event) => onInput(event.target.value)} autocomplete="off" spellcheck=${false} />
  </div>`;
}

// A button that opens a list of commands: [{ label, hint, icon, run }], or { heading }.
export function Menu({ label, icon, items, small = true, disabled }) {
  const [open, setOpen] = useState(false);
  const frame = useRef(null);
  const button = useRef(null);
  const id = useId();

  useEffect(() => {
    if (!open) return undefined;
    frame.current.querySelector('[role=menuitem]')?.focus();
    const away = (event) => frame.current?.contains(event.target) || setOpen(false);
    document.addEventListener('pointerdown', away);
    document.addEventListener('focusin', away);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('focusin', away);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event) => {
    const entries = [...frame.current.querySelectorAll('[role=menuitem]')];
    const at = entries.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (event.key === 'Escape') close();
    else if (to !== undefined) entries[(to + entries.length) % entries.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return html`<div class="menu" ref=${frame}>
    <button type="button" ref=${button} class=${`button ${small ? 'button-small' : ''}`} aria-haspopup="menu" aria-expanded=${open}
      aria-controls=${open ? id : undefined} disabled=${disabled} onClick=${() => setOpen(!open)}>
      ${icon && html`<${Icon} name=${icon} />`}${label}<${Icon} name="down" />
    </button>
    ${open && html`<div class="menu-list" role="menu" id=${id} aria-label=${label} onKeyDown=${onKeyDown}>
      ${items.map((item) => item.heading
        ? html`<div class="menu-heading" role="presentation">${item.heading}</div>`
        : html`<button type="button" role="menuitem" tabindex="-1" class="menu-item" onClick=${() => { close(); item.run(); }}>
            <${Icon} name=${item.icon} /><span>${item.label}</span>${item.hint && html`<span class="muted">${item.hint}</span>`}
          </button>`)}
    </div>`}
  </div>`;
}

export function Modal({ title, onClose, children }) {
  const dialog = useRef(null);
  const id = useId();
  useEffect(() => {
    dialog.current.showModal();
  }, []);
  const onClick = (event) => event.target === dialog.current && onClose();
  return html`<dialog class="modal" ref=${dialog} aria-labelledby=${id} onClose=${onClose} onClick=${onClick}>
    <div class="modal-body">
      <header class="row"><h2 id=${id}>${title}</h2><span class="spacer"></span><${IconButton} icon="close" label="Close" onClick=${onClose} /></header>
      ${children}
    </div>
  </dialog>`;
}

// `3 s`, `4 min`, `2 h`, `5 d`
export function ageText(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function saveFile({ name, mime, text }) {
  const url = URL.createObjectURL(new Blob([text], { type: mime }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
