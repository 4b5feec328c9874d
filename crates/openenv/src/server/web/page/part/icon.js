// Line icons of the frame, drawn in a square of 24.

import { html } from '../vendor/preact.js';

const ICON_PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  tools: 'M14.5 5.5a4.5 4.5 0 0 0-5.6 5.9L3.5 16.8a2.6 2.6 0 0 0 3.7 3.7l5.4-5.4a4.5 4.5 0 0 0 5.9-5.6l-2.9 2.9-2.9-.6-.6-2.9z',
  sessions: 'M3 12h4l3-8 4 16 3-8h4',
  episodes: 'M4 6h16M4 12h16M4 18h10',
  docs: 'M12 6.5C10 5 7.5 4.5 4 4.5v14c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2v-14c-3.5 0-6 .5-8 2zm0 0v14',
  sun: 'M12 3v2m0 14v2M5.6 5.6 7 7m10 10 1.4 1.4M3 12h2m14 0h2M5.6 18.4 7 17M17 7l1.4-1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  help: 'M9.2 9a2.9 2.9 0 1 1 4.2 2.6c-.9.5-1.4 1.1-1.4 2.1m0 3.1v.2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.5 4.5',
  close: 'M6 6l12 12M18 6 6 18',
  reset: 'M4 4v5h5M4.6 9A8 8 0 1 1 4 13',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1-1',
  export: 'M12 15V4m0 0L8 8m4-4 4 4M4 15v4h16v-4',
  download: 'M12 4v11m0 0 4-4m-4 4-4-4M4 16v4h16v-4',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  down: 'M6 9l6 6 6-6',
  left: 'M15 6l-6 6 6 6',
  right: 'M9 6l6 6-6 6',
  repeat: 'M4 11V9a3 3 0 0 1 3-3h12m0 0-3-3m3 3-3 3M20 13v2a3 3 0 0 1-3 3H5m0 0 3 3m-3-3 3-3',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  follow: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  pause: 'M8 5v14M16 5v14',
  compare: 'M9 4v16M15 4v16M4 8h2m-2 4h2m-2 4h2M18 8h2m-2 4h2m-2 4h2',
  flag: 'M5 21V4m0 1h13l-3 4.5 3 4.5H5',
  warning: 'M12 4 2.5 20h19zM12 10v4.5m0 2.7v.1',
  check: 'M5 12.5l4.5 4.5L19 7',
  trash: 'M5 7h14M10 7V4h4v3m3 0-1 13H8L7 7',
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${ICON_PATHS[name]} /></svg>`;
}
