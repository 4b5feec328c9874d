// What a reload must not lose besides the episode: the theme, and what is being typed.

import { isSecretName } from '../episode/episode.js';

const THEME_KEY = 'openenv:theme';
const DRAFT_MS = 300;

export function keepTheme(store, storage) {
  const root = document.documentElement;
  const apply = () => {
    const { theme } = store.get();
    if (theme === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
  };
  const saved = storage.getItem(THEME_KEY);
  if (saved === 'light' || saved === 'dark') store.dispatch({ type: 'themeChosen', theme: saved });
  apply();
  store.subscribe(() => {
    apply();
    storage.setItem(THEME_KEY, store.get().theme);
  });
}

export function keepDrafts(store, storage, key) {
  try {
    const drafts = JSON.parse(storage.getItem(key));
    if (drafts && typeof drafts === 'object') store.dispatch({ type: 'draftsRestored', drafts });
  } catch {
    storage.removeItem(key);
  }
  let timer = null;
  let { drafts: saved } = store.get();
  store.subscribe(() => {
    const { drafts } = store.get();
    if (drafts === saved) return;
    saved = drafts;
    clearTimeout(timer);
    timer = setTimeout(() => storage.setItem(key, draftsText(saved)), DRAFT_MS);
  });
}

// Passwords and keys are not written anywhere.
export function draftsText(drafts) {
  return JSON.stringify(drafts, (name, value) => (isSecretName(name) && typeof value === 'string' ? undefined : value));
}
