// The few drawings that buttons of the views have.

import { html } from '../vendor/preact.js';

const VIEW_ICON_PATHS = {
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5l3.2 3.2L13 5',
  repeat: 'M12.5 6.5A5 5 0 1 0 13 9M13 3v3.5H9.5',
  edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
  link: 'M6.8 9.2l2.4-2.4M7 5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7',
  path: 'M3 2.5v5a2 2 0 0 0 2 2h8M10 6.5l3 3-3 3',
  play: 'M5 3l8 5-8 5z',
  pause: 'M5.5 3v10M10.5 3v10',
  previous: 'M10 3L5 8l5 5',
  next: 'M6 3l5 5-5 5',
  first: 'M12 3L7 8l5 5M4 3v10',
  last: 'M4 3l5 5-5 5M12 3v10',
  down: 'M3 6l5 5 5-5',
  full: 'M3 6V3h3M13 6V3h-3M3 10v3h3M13 10v3h-3',
  half: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4L14 14',
  warning: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.4v.6',
  flag: 'M4 14V2.5h8l-2 3 2 3H4',
};

export function ViewIcon({ name }) {
  return html`<svg class="view-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${VIEW_ICON_PATHS[name]} /></svg>`;
}
