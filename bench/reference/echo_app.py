"""The typed echo environment on the reference `openenv` package.

Behaves like the `echo` environment that `openenv serve echo` runs, so that both servers can be measured on the same work.
Run it with `uvicorn echo_app:app`. `MAX_CONCURRENT_ENVS` sets the number of sessions, `OPENENV_MODE` the mode.
"""

import os
from typing import Any, Optional
from uuid import uuid4

from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field


class EchoAction(Action):
    message: str = Field(min_length=1)


class EchoObservation(Observation):
    echoed_message: str
    message_length: int = Field(default=0, ge=0)


class EchoEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **extra: Any,
    ) -> EchoObservation:
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return EchoObservation(
            echoed_message="Echo environment ready!", message_length=0, reward=0.0
        )

    def step(
        self, action: EchoAction, timeout_s: Optional[float] = None, **extra: Any
    ) -> EchoObservation:
        self._state.step_count += 1
        length = len(action.message)
        return EchoObservation(
            echoed_message=action.message, message_length=length, reward=0.1 * length
        )

    @property
    def state(self) -> State:
        return self._state


app = create_app(
    EchoEnvironment,
    EchoAction,
    EchoObservation,
    env_name="echo",
    max_concurrent_envs=int(os.environ.get("MAX_CONCURRENT_ENVS", "64")),
)
