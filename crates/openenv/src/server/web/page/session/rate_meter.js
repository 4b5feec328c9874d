// Steps per second, from how far the counters moved between two looks at them.
export class RateMeter {
  #seen = new Map();

  measure(sessions, now) {
    const seen = new Map();
    for (const { id, steps, tool_calls: calls } of sessions) {
      // A step that calls a tool counts as both.
      const count = Math.max(steps, calls ?? 0);
      const before = this.#seen.get(id);
      const elapsed = before ? now - before.at : 0;
      seen.set(id, elapsed > 0
        ? { count, at: now, rate: Math.max(0, count - before.count) / elapsed }
        : { count, at: now, rate: before?.rate ?? null });
    }
    this.#seen = seen;
  }

  rate(id) {
    return this.#seen.get(id)?.rate ?? null;
  }
}
