// Every place of the page has an address in the hash, so that links to a step can be passed on.

const ROUTE_TABS = ['play', 'tools', 'sessions', 'episodes', 'docs'];

// `#/episode/KEY/STEP` -> { view: 'episode', key, step }; what makes no sense is null.
export function parseRoute(hash) {
  const parts = hash.replace(/^#?\/?/, '').split('/').filter(Boolean).map(decodePart);
  const [view, first, second] = parts;
  if (parts.includes(null)) return null;
  if (ROUTE_TABS.includes(view) && parts.length === 1) return { view };
  if (view === 'tools' && parts.length === 2) return { view, tool: first };
  if (view === 'episode' && first && parts.length <= 3) {
    if (second === undefined) return { view, key: first, step: null };
    return /^\d+$/.test(second) ? { view, key: first, step: Number(second) } : null;
  }
  if (view === 'follow' && first && parts.length === 2) return { view, key: first };
  if (view === 'compare' && first && second && parts.length === 3) return { view, left: first, right: second };
  return null;
}

export function routeHash(route) {
  const parts = [route.view];
  if (route.view === 'tools' && route.tool) parts.push(route.tool);
  if (route.view === 'episode') {
    parts.push(route.key);
    if (route.step !== null && route.step !== undefined) parts.push(route.step);
  }
  if (route.view === 'follow') parts.push(route.key);
  if (route.view === 'compare') parts.push(route.left, route.right);
  return '#/' + parts.map(encodeURIComponent).join('/');
}

// The tab that a place belongs to.
export function routeTab(route) {
  if (route.view === 'follow') return 'sessions';
  if (route.view === 'episode' || route.view === 'compare') return 'episodes';
  return route.view;
}

// Whether something is done there, in a session; the other places only look.
export function routeNeedsSession(route) {
  return route === null || route.view === 'play' || route.view === 'tools';
}

function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
