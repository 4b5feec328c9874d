"""The echo environment with tools on the reference `openenv` package.

The tools are those of the `echo` environment that `openenv serve echo` runs, which has an action and tools in one.
Run it with `uvicorn echo_tools_app:app`. `MAX_CONCURRENT_ENVS` sets the number of sessions, `OPENENV_MODE` the mode.
"""

import os
from typing import Any, Optional
from uuid import uuid4

from fastmcp import FastMCP
from openenv.core.env_server import Action, Observation, State, create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation


class EchoToolsEnvironment(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("echo_env")

        @server.tool
        def echo_message(message: str) -> str:
            """Echo back the provided message."""
            return message

        @server.tool
        def echo_with_length(message: str) -> dict:
            """Echo back the message with its length."""
            return {"message": message, "length": len(message)}

        super().__init__(server)
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **extra: Any,
    ) -> Observation:
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return Observation(done=False, reward=0.0)

    def _step_impl(
        self, action: Action, timeout_s: Optional[float] = None, **extra: Any
    ) -> Observation:
        raise ValueError(f"only tools can be called, not {type(action).__name__}")

    @property
    def state(self) -> State:
        return self._state


app = create_app(
    EchoToolsEnvironment,
    CallToolAction,
    CallToolObservation,
    env_name="echo_tools",
    max_concurrent_envs=int(os.environ.get("MAX_CONCURRENT_ENVS", "64")),
)
