// The server joins all modules into one script; it understands imports and exports of one form only.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PAGE = join(dirname(fileURLToPath(import.meta.url)), '../../../crates/openenv/src/server/web/page');
const VENDORED = 'vendor/preact.js';

const read = (name) => [name, readFileSync(join(PAGE, name), 'utf8')];
const all = new Map(readdirSync(PAGE, { recursive: true }).filter((name) => name.endsWith('.js')).map(read));
const modules = new Map([...all].filter(([name]) => name !== VENDORED));

/** Imports of a module: `{ names, from }`, `from` as the page knows it. */
function importsOf(name, text) {
  const found = [];
  for (const [, names, path] of text.matchAll(/^import \{([^}]*)\} from '(\.\.?\/[^']+)';$/gm)) {
    const from = posix.join(posix.dirname(name), path);
    found.push({ names: names.split(',').map((one) => one.trim()).filter(Boolean), from });
  }
  return found;
}

/** Names that a module declares at its top level. */
function declaredIn(text) {
  const plain = /^(?:export )?(?:async )?(?:function\*?|const|let|var|class) (?:\{([^}]*)\}|\[([^\]]*)\]|([\w$]+))/gm;
  const names = [];
  for (const [, fields, items, name] of text.matchAll(plain)) {
    if (name) {
      names.push(name);
    } else {
      for (const part of (fields ?? items).split(',')) {
        names.push(part.split(':').at(-1).split('=')[0].trim());
      }
    }
  }
  return names.filter(Boolean);
}

function exportedFrom(text) {
  return new Set(declaredIn(text.match(/^export .*$/gm)?.join('\n') ?? ''));
}

test('imports and exports have the one form that is joined', () => {
  for (const [name, text] of modules) {
    for (const line of text.split('\n')) {
      if (/^import\b/.test(line)) {
        assert.match(line, /^import \{/, `${name}: ${line}`);
      }
      if (/^export\b/.test(line)) {
        assert.match(line, /^export (async function|function|const|class)\b/, `${name}: ${line}`);
      }
    }
    assert.doesNotMatch(text, /\bimport\(/, `${name} imports while it runs`);
    for (const { names } of importsOf(name, text)) {
      for (const imported of names) {
        assert.doesNotMatch(imported, / as /, `${name} renames an import`);
      }
    }
    const statements = [...text.matchAll(/^import\b/gm)].length;
    assert.equal(importsOf(name, text).length, statements, `${name} has an import that was not understood`);
  }
});

test('what is imported is exported', () => {
  const missing = [];
  for (const [name, text] of modules) {
    for (const { names, from } of importsOf(name, text)) {
      const exported = exportedFrom(all.get(from) ?? '');
      missing.push(...names.filter((wanted) => !exported.has(wanted)).map((wanted) => `${name}: ${wanted} of ${from}`));
    }
  }
  assert.deepEqual(missing, []);
});

test('no module imports itself on some way', () => {
  const finished = new Set();
  const visit = (name, way) => {
    assert.ok(!way.includes(name), `circular: ${[...way, name].join(' -> ')}`);
    if (finished.has(name) || !modules.has(name)) {
      return;
    }
    for (const { from } of importsOf(name, modules.get(name))) {
      visit(from, [...way, name]);
    }
    finished.add(name);
  };
  for (const name of modules.keys()) {
    visit(name, []);
  }
});

test('every module is part of the page', () => {
  const used = new Set();
  const visit = (name) => {
    if (!used.has(name) && modules.has(name)) {
      used.add(name);
      importsOf(name, modules.get(name)).forEach(({ from }) => visit(from));
    }
  };
  visit('app.js');
  assert.deepEqual([...modules.keys()].filter((name) => !used.has(name)), []);
});

test('nothing in a module ends the script or asks another host', () => {
  for (const [name, text] of modules) {
    assert.doesNotMatch(text, /<\/script|<!--/i, name);
    assert.doesNotMatch(text, /\beval\(|new Function\(/, name);
  }
});
