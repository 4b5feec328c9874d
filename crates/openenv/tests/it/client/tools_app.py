"""The workshop of these tests on the reference package, as far as it goes."""

import os
from typing import Any, Optional

from fastmcp import FastMCP
from openenv.core.env_server import (
    CallToolAction,
    CallToolObservation,
    MCPEnvironment,
    Observation,
    State,
    create_app,
)


class Workshop(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        mcp = FastMCP("workshop")
        self._sum = 0
        self._state = State(step_count=0)

        @mcp.tool
        def add(amount: int) -> int:
            """Adds to the sum"""
            self._sum += amount
            return self._sum

        @mcp.tool
        def fail(text: str) -> str:
            """Fails"""
            raise RuntimeError(text)

        @mcp.tool
        def undescribed() -> None:
            return None

        super().__init__(mcp)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **extra: Any,
    ) -> Observation:
        self._sum = 0
        self._state = State(episode_id=episode_id, step_count=0)
        return Observation()

    def _judged(self, observation: Any) -> Any:
        failed = getattr(observation, "error", None) is not None
        observation.reward = -1.0 if failed else 1.0
        observation.done = failed
        return observation

    def _step_impl(self, action: Any, **extra: Any) -> Observation:
        return Observation()

    async def step_async(self, action: Any, **extra: Any) -> Observation:
        self._state.step_count += 1
        return self._judged(await super().step_async(action, **extra))

    @property
    def state(self) -> State:
        return self._state


app = create_app(
    Workshop,
    CallToolAction,
    CallToolObservation,
    env_name="workshop",
    max_concurrent_envs=int(os.environ["MAX_CONCURRENT_ENVS"]),
)
