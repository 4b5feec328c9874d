// What all parts of the page share: the store, the session of the tab, and how to go somewhere.

import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';

export const PageContext = createContext(null);

// { store, session, connection, pageUrl, fetch, keys, loadAbout(), navigate(route), toast(text, options) }
export function usePage() {
  return useContext(PageContext);
}

// A part of the page's state; renders again when that part is another one.
export function usePageState(select) {
  const { store } = usePage();
  const [value, setValue] = useState(() => select(store.get()));
  const latest = useRef(select);
  latest.current = select;
  useLayoutEffect(() => {
    const update = () => setValue(() => latest.current(store.get()));
    update();
    return store.subscribe(update);
  }, [store]);
  return value;
}

// Keys of a view, by name of the key; the view that was opened last comes first.
export function usePageKeys(handlers) {
  const { keys } = usePage();
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const find = (name) => latest.current[name];
    keys.push(find);
    return () => keys.splice(keys.indexOf(find), 1);
  }, [keys]);
}

// Calls `work` now and then, but only while somebody can see the page.
export function usePolling(work, seconds) {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    let timer = null;
    let stopped = false;
    const poll = async () => {
      clearTimeout(timer);
      if (stopped || document.hidden) return;
      await latest.current();
      if (!stopped) timer = setTimeout(poll, seconds * 1000);
    };
    const onVisible = () => document.hidden || poll();
    poll();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [seconds]);
}

// The time, once in a while, for texts like "3 s ago".
export function useClock(seconds = 1) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return now;
}
