import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { connectionSnippets } from '../../../crates/openenv/src/server/web/page/tab/snippets.js';

const url = 'http://host:8000/envs/a';
const codeOf = (given) => Object.fromEntries(connectionSnippets({ url, name: 'a', tools: [], production: false, ...given }).map(({ id, code }) => [id, code]));

test('snippets have the address and an action', () => {
  const { python, rust, curl, mcp } = codeOf({ action: { message: "it's" } });
  for (const code of [python, rust, curl]) assert.ok(code.includes(url), code);
  assert.ok(python.includes(`env.step({"message": "it's"})`));
  assert.equal(mcp, undefined);
});

test('the shell reads the action as it is', () => {
  const { curl } = codeOf({ action: { message: `it's "so" $HOME \\ ` } });
  const data = curl.split('\n').find((line) => line.trim().startsWith('-d')).trim().slice(3);
  const read = execFileSync('sh', ['-c', `printf %s ${data}`], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(read), { action: { message: `it's "so" $HOME \\ ` } });
});

test('tools have snippets for agents, and in production nothing else', () => {
  const tools = [{ name: 'search' }];
  assert.ok(codeOf({ action: { tool_name: 'search' }, tools }).python.includes('MCPToolClient'));
  const production = codeOf({ action: null, tools, production: true });
  assert.deepEqual(Object.keys(production), ['mcp', 'claude']);
  assert.equal(JSON.parse(production.mcp).mcpServers.a.url, `${url}/mcp`);
});

test('a name with blanks is one word for the shell', () => {
  const { claude } = codeOf({ action: null, tools: [{ name: 'search' }], production: true, name: "my env's" });
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${claude}`], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(words.slice(-2), ["my env's", `${url}/mcp`]);
});
