// Long lists of rows of one height, of which only the visible ones exist.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';

const SPARE_ROWS = 8;
// A list that is not bounded by its surroundings would be "in view" from end to end.
const TALLEST_VIEW = 4_000;

/**
 * Which of `count` rows are in view. Put `ref` and `onScroll` on the element that scrolls,
 * and rows `first` to `last` (exclusive) into a box that is `total` pixels high.
 */
export function useVirtualRows(count, rowHeight) {
  const ref = useRef(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const frame = useRef(0);
  const measure = useCallback(() => {
    const element = ref.current;
    if (element) setView((old) => old.top === element.scrollTop && old.height === element.clientHeight ? old : { top: element.scrollTop, height: element.clientHeight });
  }, []);
  const onScroll = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(measure);
  }, []);
  // Once: to ask again after each change would lay the page out in the middle of it.
  useLayoutEffect(measure, []);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (ref.current) observer.observe(ref.current);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame.current);
    };
  }, []);
  const reveal = useCallback((row) => {
    const element = ref.current;
    if (!element || row < 0) return;
    const top = row * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight - element.clientHeight;
    measure();
  }, [rowHeight]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((view.top + Math.min(view.height, TALLEST_VIEW)) / rowHeight) + SPARE_ROWS);
  return { ref, onScroll, first, last, total: count * rowHeight, reveal };
}
