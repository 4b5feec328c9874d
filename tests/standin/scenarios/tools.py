"""An environment with tools: in every mode, by both kinds of step."""

import asyncio
import json

from fastmcp import FastMCP
from openenv.core.env_server import (
    CallToolAction,
    ListToolsAction,
    MCPEnvironment,
    Observation,
    WSObservationResponse,
    serialize_observation,
)
from openenv.core.env_server.mcp_environment import (
    MCP_TOOL_CALL_TIMEOUT,
    VALID_MODES,
    get_server_tools,
)
from probes.tools import ToolsEnv, WordAction

CALLS = [
    ("add", {"a": 1}),
    ("add", {"a": "2", "b": 5}),
    ("add", {"a": "x"}),
    ("add", {}),
    ("add", {"a": 1, "c": 2}),
    ("as_dict", {"x": 3}),
    ("as_list", {"n": 0}),
    ("as_list", {"n": 3}),
    ("untyped", {"n": 2, "items": ["p"]}),
    ("as_none", {}),
    ("fails", {}),
    ("fails", {"text": "file not found"}),
    ("fails", {"text": "invalid thing"}),
    ("waits", {"seconds": 0}),
    ("count", {}),
    ("count", {}),
    ("no_such_tool", {}),
    ("reset", {}),
    ("lookup", {"q": "a"}),
    ("lookup", {"q": "a", "k": 1}),
    ("lookup", {}),
    ("simulated", {"flag": True, "ratio": 0.5, "data": [1], "n": 2}),
    ("simulated_failure", {}),
    ("everywhere", {"z": 4}),
]


def observe():
    seen = {"limit": MCP_TOOL_CALL_TIMEOUT, "modes": sorted(VALID_MODES)}
    for mode in (None, "simulation", "production"):
        env = ToolsEnv(mode)
        seen[f"{mode} tools"] = _text(env.step(ListToolsAction()))
        for number, (name, arguments) in enumerate(CALLS):
            action = CallToolAction(tool_name=name, arguments=arguments)
            seen[f"{mode} {number} {name}"] = _text(env.step(action))
        seen[f"{mode} functions"] = sorted(env.get_callables())
        for code in ("result = add(1, 2)", "result =", "1 / 0", "result = everywhere(1)"):
            seen[f"{mode} {code}"] = _text(env.execute_code(code))
        env.close()

    seen["inside a loop"] = asyncio.run(_waiting())
    env = ToolsEnv()
    seen["another action"] = _text(env.step(WordAction(word="w"), timeout_s=2, more=1))
    late = CallToolAction(tool_name="waits", arguments={"seconds": 60})
    seen["too late"] = _text(env.step(late, timeout_s=0.05))
    seen["code mode"] = env.supports_code_mode
    seen["schemas"] = json.dumps(env._mode_tool_schemas)
    seen["of the server"] = sorted(get_server_tools(env.mcp_server))
    seen["wrong mode"] = _refusal(lambda: env.tool(mode="other"))
    seen["reserved"] = _refusal(lambda: env.tool(mode="simulation")(close))
    seen["reserved too"] = _refusal(lambda: Reserved())
    env.close()
    seen["closed"] = [env.mcp_client, env.mcp_server]
    seen["closed tools"] = _text(env.step(ListToolsAction()))
    seen["closed call"] = _text(env.step(CallToolAction(tool_name="add")))
    seen["closed declaration"] = _refusal(lambda: env.tool()(late_tool))
    return seen


async def _waiting():
    """One MCP session for all calls, as a server keeps it, so `count` counts."""
    env = ToolsEnv("simulation")
    seen = []
    async with env.mcp_session() as client:
        seen.append(client is env.mcp_client)
        for name, arguments in [*CALLS, ("count", {})]:
            action = CallToolAction(tool_name=name, arguments=arguments)
            seen.append(_text(await env.step_async(action)))
        seen.append(_text(await env.step_async(ListToolsAction())))
        seen.append(_text(await env.step_async(WordAction(word="w"), more=1)))
        late = CallToolAction(tool_name="waits", arguments={"seconds": 60})
        seen.append(_text(await env.step_async(late, timeout_s=0.05)))
    return seen


class Reserved(MCPEnvironment):
    def __init__(self):
        mcp = FastMCP("reserved")
        mcp.tool(step)
        mcp.tool(close)
        super().__init__(mcp)

    def reset(self, **kwargs):
        return Observation()

    def _step_impl(self, action, timeout_s=None, **kwargs):
        return Observation()

    @property
    def state(self):
        return None


def step(x: int) -> int:
    return x


def close() -> None:
    return None


def late_tool() -> None:
    return None


def _text(observation):
    data = serialize_observation(observation)
    return [type(observation).__name__, WSObservationResponse(data=data).model_dump_json()]


def _refusal(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
