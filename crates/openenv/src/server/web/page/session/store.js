// The state of the page: one object that is never changed in place, and the only function that makes the next one.

import { episodeReturn, stepDone, stepError, stepIndex } from '../episode/episode.js';
import { contractKey } from './contract_key.js';

export const MOST_STEPS_KEPT = 2000;
const STEPS_DROPPED_AT_ONCE = 200;
const MOST_RECENT_ACTIONS = 30;
const MOST_EXCHANGES = 200;

export const INITIAL_STATE = {
  about: null,
  aboutProblem: null,
  connection: { phase: 'connecting', session: null, message: null },
  capacity: null,
  own: null, // the episode of this tab's session
  ownIsOver: false, // its session has ended: the next action needs a reset in a new one
  running: null, // { label, since } of the call that runs
  selected: null, // position of the step that is looked at; null follows the newest
  inspectorTab: 'observation',
  resetOptions: false, // whether they are shown
  drafts: { action: undefined, reset: { seed: '', episode_id: '', extra: '' }, tools: {} },
  recentActions: [],
  tools: [],
  exchanges: [], // JSON-RPC of the Tools tab, newest first
  files: [], // episodes that were loaded from files
  theme: 'system',
  toasts: [],
};

export function createStore(initial = INITIAL_STATE) {
  let state = initial;
  const listeners = new Set();
  return {
    get: () => state,
    dispatch(action) {
      const next = reducePage(state, action);
      if (next === state) return;
      state = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const REDUCERS = {
  aboutLoaded: (state, { about }) => ({
    ...(isAnother(state.about, about) ? { ...state, drafts: INITIAL_STATE.drafts, recentActions: [] } : state),
    about, aboutProblem: null, tools: about.tools ?? [], capacity: about.capacity ?? state.capacity,
  }),
  aboutFailed: (state, { message }) => ({ ...state, aboutProblem: message }),
  capacityKnown: (state, { capacity }) => ({ ...state, capacity }),
  connectionChanged: (state, { connection }) => ({ ...state, connection }),
  runStarted: (state, { label, since }) => ({ ...state, running: { label, since } }),
  runEnded: (state) => ({ ...state, running: null }),
  episodeBegan: (state, { episode }) => ({ ...state, own: episode, ownIsOver: false, selected: null }),
  episodeRestored: (state, { episode, over }) => ({ ...state, own: episode, ownIsOver: over, selected: null }),
  episodeIdentified: (state, { key, episode_id }) =>
    state.own ? { ...state, own: { ...state.own, key, episode_id: episode_id ?? state.own.episode_id } } : state,
  sessionOver: (state) => (state.own ? { ...state, ownIsOver: true, own: { ...state.own, live: false } } : state),
  stepAdded: (state, { step }) => (state.own ? { ...state, own: withSteps(state.own, [step]), selected: null } : state),
  stepCompleted: (state, { n, part }) => (state.own ? { ...state, own: withStepPart(state.own, n, part) } : state),
  selected: (state, { n }) => ({ ...state, selected: n }),
  inspectorTab: (state, { tab }) => ({ ...state, inspectorTab: tab }),
  resetOptionsShown: (state, { shown }) => ({ ...state, resetOptions: shown }),
  actionDrafted: (state, { action }) => ({ ...state, drafts: { ...state.drafts, action } }),
  resetDrafted: (state, { reset }) => ({ ...state, drafts: { ...state.drafts, reset } }),
  toolDrafted: (state, { name, value }) => ({
    ...state, drafts: { ...state.drafts, tools: { ...state.drafts.tools, [name]: value } },
  }),
  draftsRestored: (state, { drafts }) => ({ ...state, drafts: { ...state.drafts, ...drafts } }),
  actionRun: (state, { action }) => ({ ...state, recentActions: withRecent(state.recentActions, action) }),
  toolsListed: (state, { tools }) => ({ ...state, tools }),
  exchanged: (state, { exchange }) => ({ ...state, exchanges: [exchange, ...state.exchanges].slice(0, MOST_EXCHANGES) }),
  exchangesCleared: (state) => ({ ...state, exchanges: [] }),
  filesLoaded: (state, { episodes }) => ({
    ...state,
    files: [...episodes, ...state.files.filter((file) => !episodes.some((episode) => episode.key === file.key))],
  }),
  fileForgotten: (state, { key }) => ({ ...state, files: state.files.filter((file) => file.key !== key) }),
  themeChosen: (state, { theme }) => ({ ...state, theme }),
  toastShown: (state, { toast }) => ({
    ...state, toasts: [...state.toasts.filter((other) => other.text !== toast.text), toast].slice(-4),
  }),
  toastHidden: (state, { id }) => ({ ...state, toasts: state.toasts.filter((toast) => toast.id !== id) }),
};

function isAnother(before, about) {
  return before !== null && contractKey(before) !== contractKey(about);
}

export function reducePage(state, action) {
  const reduce = REDUCERS[action.type];
  if (!reduce) throw new Error(`unknown action: ${action.type}`);
  return reduce(state, action);
}

// An episode with more steps, of which the oldest are let go beyond what a tab can hold for hours.
export function withSteps(episode, added, most = MOST_STEPS_KEPT) {
  let steps = [...episode.steps, ...added];
  let dropped = episode.dropped;
  if (steps.length > most) {
    const surplus = Math.min(steps.length - 1, steps.length - most + Math.min(STEPS_DROPPED_AT_ONCE, most - 1));
    steps = steps.slice(surplus);
    dropped += surplus;
  }
  return {
    ...episode,
    steps,
    dropped,
    length: episode.length + added.length,
    return: episode.return + episodeReturn(added),
    done: added.length > 0 ? added.some(stepDone) || episode.done : episode.done,
    errors: episode.errors + added.filter(stepError).length,
  };
}

function withStepPart(episode, n, part) {
  // The step is among the newest: state and view follow the reply at once.
  const index = episode.steps.findLastIndex((step) => step.n === n);
  if (index < 0) return episode;
  const steps = [...episode.steps];
  steps[index] = { ...steps[index], ...part };
  return { ...episode, steps };
}

function withRecent(recent, action) {
  const text = JSON.stringify(action);
  return [action, ...recent.filter((other) => JSON.stringify(other) !== text)].slice(0, MOST_RECENT_ACTIONS);
}

// How often something was done: the length of an episode counts its reset as well.
export function stepsTaken({ length, steps, dropped }) {
  const first = steps?.[0];
  return (length ?? 0) - (dropped > 0 || first?.kind === 'reset' ? 1 : 0);
}

// The step that a selection means: null is the newest one.
export function selectedStep(episode, selected) {
  const steps = episode?.steps ?? [];
  if (steps.length === 0) return null;
  return selected === null ? steps.at(-1) : steps[Math.max(0, stepIndex(steps, selected))];
}

// The selection one step further; the end of the list is "the newest", which then goes on following.
export function movedSelection(episode, selected, by) {
  const steps = episode?.steps ?? [];
  if (steps.length === 0) return null;
  const from = selected === null ? steps.length - 1 : stepIndex(steps, selected);
  const to = Math.min(steps.length - 1, Math.max(0, from + by));
  return to === steps.length - 1 ? null : steps[to].n;
}
