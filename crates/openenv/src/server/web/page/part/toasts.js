// Short messages that go away by themselves.

import { html, useEffect } from '../vendor/preact.js';
import { usePage, usePageState } from './context.js';
import { IconButton } from './parts.js';
import { Icon } from './icon.js';

const TOAST_ICONS = { good: 'check', bad: 'warning', warn: 'warning', info: 'help' };
let nextToast = 1;

export function showToast(store, text, { kind = 'info', seconds = kind === 'bad' ? 8 : 4 } = {}) {
  store.dispatch({ type: 'toastShown', toast: { id: nextToast++, text, kind, seconds } });
}

export function Toasts() {
  const toasts = usePageState((state) => state.toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.map((toast) => html`<${Toast} key=${toast.id} toast=${toast} />`)}
  </div>`;
}

function Toast({ toast }) {
  const { store } = usePage();
  const hide = () => store.dispatch({ type: 'toastHidden', id: toast.id });
  useEffect(() => {
    const timer = setTimeout(hide, toast.seconds * 1000);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class=${`toast toast-${toast.kind}`}>
    <${Icon} name=${TOAST_ICONS[toast.kind]} /><span>${toast.text}</span><${IconButton} icon="close" label="Hide this message" onClick=${hide} />
  </div>`;
}
