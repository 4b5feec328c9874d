// How to reach this environment from a program, with the address that the page itself has.

import { shellQuote } from '../episode/export_curl.js';
import { pythonLiteral } from '../episode/export_python.js';

export function connectionSnippets({ url, name, action, tools, production }) {
  const toolBased = Boolean(action?.tool_name) || production;
  const first = tools?.[0]?.name;
  const snippets = [];
  if (!toolBased) {
    snippets.push(
      { id: 'python', label: 'Python', note: 'pip install openenv', code: pythonClient(url, action) },
      { id: 'rust', label: 'Rust', note: 'cargo add openenv serde_json', code: rustClient(url, action) },
    );
  } else if (!production) {
    snippets.push({ id: 'python', label: 'Python', note: 'pip install openenv', code: pythonTools(url, first) });
  }
  if (!production) snippets.push({ id: 'curl', label: 'curl', note: 'one environment for each call, or your own with ?session=NAME', code: curlCalls(url, action) });
  if (tools?.length > 0) {
    snippets.push(
      { id: 'mcp', label: 'MCP', note: 'for agents that read a configuration file', code: mcpConfig(url, name) },
      { id: 'claude', label: 'Claude Code', note: 'in a terminal', code: `claude mcp add --transport http ${shellQuote(name)} ${shellQuote(`${url}/mcp`)}` },
    );
  }
  return snippets;
}

function pythonClient(url, action) {
  return `from openenv import GenericEnvClient

with GenericEnvClient(base_url=${JSON.stringify(url)}).sync() as env:
    print(env.reset().observation)
    result = env.step(${pythonLiteral(action)})
    print(result.observation, result.reward, result.done)`;
}

function pythonTools(url, tool) {
  const call = tool ? `\n    result = env.step(CallToolAction(tool_name=${JSON.stringify(tool)}, arguments={}))\n    print(result.observation, result.reward, result.done)` : '';
  return `from openenv.core import CallToolAction, MCPToolClient

with MCPToolClient(base_url=${JSON.stringify(url)}).sync() as env:
    env.reset()
    print([tool.name for tool in env.list_tools()])${call}`;
}

function rustClient(url, action) {
  return `use openenv::{Json, ResetOptions, blocking::EnvClient};
use serde_json::json;

fn main() -> openenv::Result<()> {
    let mut env = EnvClient::<Json>::connect(${JSON.stringify(url)})?;
    env.reset(ResetOptions::default())?;
    let step = env.step(&json!(${JSON.stringify(action)}))?;
    println!("{} {:?} {}", step.observation, step.reward, step.done);
    env.close()
}`;
}

function curlCalls(url, action) {
  const body = shellQuote(JSON.stringify({ action }));
  return `curl '${url}/web/reset?session=mine' -X POST
curl '${url}/web/step?session=mine' -H 'content-type: application/json' \\
  -d ${body}
curl '${url}/web/state?session=mine'`;
}

function mcpConfig(url, name) {
  return JSON.stringify({ mcpServers: { [name]: { type: 'http', url: `${url}/mcp` } } }, null, 2);
}
