"""The waiting environment on the reference `openenv` package: a step lasts `wait_seconds`.

Only what the Python suite needs of the bundled `benchmark` environment. Run it with `uvicorn benchmark_app:app`.
"""

import os
import time
from typing import Any, Optional
from uuid import uuid4

from openenv.core.env_server import Action, Environment, Observation, State, create_app


class BenchmarkAction(Action):
    wait_seconds: float = 0.0


class BenchmarkObservation(Observation):
    waited_seconds: float = 0.0
    step_count: int = 0


class BenchmarkEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **extra: Any,
    ) -> BenchmarkObservation:
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return BenchmarkObservation(reward=0.0)

    def step(
        self, action: BenchmarkAction, timeout_s: Optional[float] = None, **extra: Any
    ) -> BenchmarkObservation:
        self._state.step_count += 1
        wait = max(action.wait_seconds, 0.0)
        time.sleep(wait)
        return BenchmarkObservation(
            waited_seconds=wait,
            step_count=self._state.step_count,
            reward=1.0 / (1.0 + wait),
        )

    @property
    def state(self) -> State:
        return self._state


app = create_app(
    BenchmarkEnvironment,
    BenchmarkAction,
    BenchmarkObservation,
    env_name="benchmark",
    max_concurrent_envs=int(os.environ.get("MAX_CONCURRENT_ENVS", "64")),
)
