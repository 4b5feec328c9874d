import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import test from 'node:test';

import { shellQuote } from '../../../crates/openenv/src/server/web/page/episode/export_curl.js';
import { pythonLiteral } from '../../../crates/openenv/src/server/web/page/episode/export_python.js';
import { rustLiteral } from '../../../crates/openenv/src/server/web/page/episode/export_rust.js';
import { exportEpisode } from '../../../crates/openenv/src/server/web/page/episode/export.js';
import { importEpisodes } from '../../../crates/openenv/src/server/web/page/episode/import.js';

const NASTY = 'it\'s "quoted" \\ $(touch /tmp/x) `id` !\n\u001b[31m\u2028 #"# 🦀 \u202e';
const EPISODE = {
  key: 'k1',
  episode_id: 'run 1/α',
  environment: 'echo\n# env',
  session: 'abcdef12',
  origin: 'websocket',
  started_at: 1_790_000_000,
  live: true,
  dropped: 0,
  length: 4,
  return: 0.5,
  done: false,
  errors: 1,
  source: 'own',
  steps: [
    { n: 0, kind: 'reset', at: 0, took: 1, request: { seed: 7, split: 'train' }, reply: { observation: {}, reward: null, done: false }, error: null, logs: [] },
    { n: 1, kind: 'step', at: 1, took: 2, request: { message: NASTY }, reply: { observation: { echoed: NASTY }, reward: 0.5, done: false }, error: null, logs: [] },
    { n: 2, kind: 'step', at: 2, took: 3, request: { wrong: true }, reply: null, error: { message: 'field required:\n  message', code: 'VALIDATION_ERROR' }, logs: [] },
    { n: 3, kind: 'tool', at: 3, took: 4, request: { name: 'greet', arguments: { who: "O'Neil" } }, reply: { data: 'hi' }, error: null, logs: [] },
  ],
};
const has = (command) => spawnSync(command, ['--version']).status === 0;

test('lines of JSON can be read again, and are the same', () => {
  const { name, text } = exportEpisode(EPISODE, 'jsonl', 'http://localhost:8000');
  assert.equal(name, 'episode-run-1.jsonl');
  assert.equal(text.trim().split('\n').length, 5);
  const [episode] = importEpisodes(text);
  assert.deepEqual(episode.steps.map(({ n, kind, request, reply, error }) => ({ n, kind, request, reply, error })), EPISODE.steps.map(({ n, kind, request, reply, error }) => ({ n, kind, request, reply, error })));
  assert.deepEqual([episode.episode_id, episode.return, episode.live, episode.source], ['run 1/α', 0.5, false, 'file']);
});

test('words for a shell arrive as they are', () => {
  assert.equal(execFileSync('sh', ['-c', `printf %s ${shellQuote(NASTY)}`], { encoding: 'utf8' }), NASTY);
  assert.equal(shellQuote('plain-1.2/x'), 'plain-1.2/x');
});

test('the script for curl is valid and keeps to its own session', () => {
  const { text } = exportEpisode(EPISODE, 'curl', 'http://127.0.0.1:8000/envs/echo/');
  assert.equal(spawnSync('sh', ['-n'], { input: text }).status, 0);
  assert.match(text, /base=http:\/\/127\.0\.0\.1:8000\/envs\/echo\/web\n/);
  assert.match(text, /\$base\/\$1\?session=\$session/);
  assert.match(text, /# failed when it was recorded: field required: message\n/);
  const posted = execFileSync('sh', { input: text.replace(/post\(\) \{[^}]*\}/, 'post() { printf "%s %s\\n" "$1" "$2"; }'), encoding: 'utf8' });
  const bodies = posted.trim().split('\n').map((line) => [line.split(' ')[0], JSON.parse(line.slice(line.indexOf(' ') + 1))]);
  assert.deepEqual(bodies[0], ['reset', EPISODE.steps[0].request]);
  assert.deepEqual(bodies[1], ['step', { action: EPISODE.steps[1].request }]);
  assert.deepEqual(bodies[3], ['step', { action: { type: 'call_tool', tool_name: 'greet', arguments: { who: "O'Neil" } } }]);
});

test('long actions go to curl on its input', () => {
  const steps = [{ n: 0, kind: 'step', request: { text: 'x'.repeat(200_000) }, reply: null, error: null }];
  const { text } = exportEpisode({ ...EPISODE, steps }, 'curl', 'http://h');
  assert.match(text, /post step @- <<'END_OF_JSON'\n\{"action"/);
});

test('literals of Python', { skip: !has('python3') }, () => {
  const value = { a: [true, false, null, 1.5, -3, 1e21], [NASTY]: NASTY, nested: { lone: '\ud800' } };
  const printed = execFileSync('python3', ['-c', `import json, sys\nsys.stdout.write(json.dumps(eval(sys.stdin.read())))`], { input: pythonLiteral(value), encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), value);
});

test('programs for Python compile, with the client that fits', { skip: !has('python3') }, () => {
  const compile = (text) => spawnSync('python3', ['-c', 'import sys; compile(sys.stdin.read(), "replay", "exec")'], { input: text, encoding: 'utf8' });
  const mixed = exportEpisode(EPISODE, 'python', 'http://localhost:8000').text;
  assert.equal(compile(mixed).stderr, '');
  assert.match(mixed, /MCPToolClient\(base_url="http:\/\/localhost:8000"\)\.sync\(\)/);
  const plain = exportEpisode({ ...EPISODE, steps: EPISODE.steps.slice(0, 3) }, 'python', 'http://localhost:8000').text;
  assert.equal(compile(plain).stderr, '');
  assert.match(plain, /GenericEnvClient/);
  assert.doesNotMatch(plain, /call_tool|class Action/);
});

test('raw strings of Rust hold any JSON', () => {
  assert.equal(rustLiteral('{}'), 'r"{}"');
  assert.equal(rustLiteral('{"a":1}'), 'r#"{"a":1}"#');
  assert.equal(rustLiteral('"# "## x'), 'r###""# "## x"###');
  const { text } = exportEpisode(EPISODE, 'rust', 'https://example.com');
  assert.match(text, /features = \["blocking", "tls"\]/);
  assert.doesNotMatch(text, /[\u202e\u2028\u001b]/);
});

test('what is missing is said', () => {
  const { text } = exportEpisode({ ...EPISODE, dropped: 12, steps: [{ ...EPISODE.steps[1], n: 12 }, { ...EPISODE.steps[1], n: 15 }] }, 'python', 'http://h');
  assert.match(text, /# Note: 12 earlier steps were no longer kept/);
  assert.match(text, /# Note: 2 steps before step 15 are missing\./);
});

