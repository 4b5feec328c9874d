// The tasks of an environment, for those who reset to one of them.

export function taskSource(fetch, pageUrl, name) {
  const at = (path) => new URL(`../${encodeURIComponent(name)}/${path}`, pageUrl);
  const ask = async (path, body) => {
    const answer = await fetch(at(path), body && {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    const reply = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      const text = typeof reply.detail === 'string' ? reply.detail : `the server answered ${answer.status}`;
      throw Object.assign(new Error(text), { status: answer.status });
    }
    return reply;
  };
  return {
    splits: () => ask('splits'),
    count: async (split) => (await ask('num_tasks', { split })).num_tasks,
    range: async (split, start, stop) => (await ask('task_range', { split, start, stop })).tasks,
  };
}
