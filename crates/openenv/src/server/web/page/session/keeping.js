// What a reload must not lose besides the episode: the theme, and what is being typed.

import { isSecretName } from '../episode/episode.js';
import { contractKey } from './contract_key.js';

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

// Drafts come back once it is known that the environment is still the one that they were typed for.
export function keepDrafts(store, storage, key) {
  let timer = null;
  let { drafts: saved } = store.get();
  let isRestored = false;
  store.subscribe(() => {
    const { about } = store.get();
    if (!about) return;
    if (!isRestored) {
      isRestored = true;
      const drafts = draftsFor(about, storage.getItem(key));
      if (drafts) {
        store.dispatch({ type: 'draftsRestored', drafts });
        return;
      }
    }
    const { drafts } = store.get();
    if (drafts === saved) return;
    saved = drafts;
    clearTimeout(timer);
    timer = setTimeout(() => storage.setItem(key, draftsText(contractKey(about), drafts)), DRAFT_MS);
  });
}

function draftsFor(about, text) {
  try {
    const { contract, drafts } = JSON.parse(text);
    return contract === contractKey(about) && typeof drafts === 'object' ? drafts : null;
  } catch {
    return null;
  }
}

// Passwords and keys are not written anywhere.
export function draftsText(contract, drafts) {
  return JSON.stringify({ contract, drafts }, (name, value) => (isSecretName(name) && typeof value === 'string' ? undefined : value));
}
