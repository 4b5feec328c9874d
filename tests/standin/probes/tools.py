"""An `MCPEnvironment`: tools that return, fail and wait, and tools of one mode."""

import asyncio
from typing import List, Optional

from fastmcp import Context, FastMCP
from openenv.core.env_server import (
    Action,
    CallToolAction,
    CallToolObservation,
    MCPEnvironment,
    Observation,
    State,
    create_app,
)


class WordAction(Action):
    word: str


class ToolsEnv(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, mode=None):
        mcp = FastMCP("probe")

        @mcp.tool
        def add(a: int, b: int = 1) -> int:
            """Add two numbers."""
            return a + b

        @mcp.tool
        def as_dict(x: int) -> dict:
            """Return a dictionary."""
            return {"x": x, "nested": {"k": [1, None, 2.5]}}

        @mcp.tool
        def as_list(n: int) -> List[int]:
            return list(range(n))

        @mcp.tool
        def untyped(n: int, flag: bool = False, items: Optional[List[str]] = None):
            return [{"i": i, "flag": flag, "items": items} for i in range(n)]

        @mcp.tool
        def as_none() -> None:
            return None

        @mcp.tool
        def fails(text: str = "tool exploded") -> str:
            """Always raises."""
            raise ValueError(text)

        @mcp.tool
        async def waits(seconds: float) -> str:
            await asyncio.sleep(seconds)
            return "waited"

        @mcp.tool
        async def count(ctx: Context) -> int:
            """Counts in the state of the MCP session."""
            n = (await ctx.get_state("n")) or 0
            await ctx.set_state("n", n + 1)
            return n + 1

        super().__init__(mcp)
        if mode:
            self._mode = mode

        @self.tool(mode="production")
        def lookup(q: str, k: int = 3) -> str:
            """Look up in production."""
            return f"production:{q}:{k}"

        @self.tool(mode="simulation")
        def lookup(q: str, k: int = 3) -> str:  # noqa: F811
            """Look up in simulation."""
            return f"simulation:{q}:{k}"

        @self.tool(mode="simulation")
        async def simulated(flag: bool, ratio: float, data: List[int], n: "int") -> dict:
            return {"flag": flag, "ratio": ratio, "data": data, "n": n}

        @self.tool(mode="simulation")
        def simulated_failure():
            raise KeyError("nope")

        @self.tool()
        def everywhere(z: int) -> int:
            """In both modes."""
            return z * 2

        self._state = State(episode_id="tools")

    def reset(self, seed=None, episode_id=None, **kwargs):
        return Observation(done=False, reward=0.0, metadata={"status": "ready"})

    def _step_impl(self, action, timeout_s=None, **kwargs):
        got = [type(action).__name__, timeout_s, kwargs]
        return Observation(done=False, reward=0.25, metadata={"got": got})

    @property
    def state(self):
        return self._state


app = create_app(ToolsEnv, CallToolAction, CallToolObservation, env_name="tools_env")
