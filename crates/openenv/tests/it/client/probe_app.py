"""The probe of these tests on the reference package: does as it is told."""

import os
import threading
import time
from typing import Any, Optional

from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field


class Order(Action):
    add: int = 0
    sleep_ms: int = 0
    block: bool = False
    panic: bool = False
    panic_on_drop: bool = False
    fail: Optional[str] = Field(default=None, max_length=100)
    repeat: int = 0


class Report(Observation):
    sum: int
    thread: str
    text: str


class Probe(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._sum = 0
        self._state = State(step_count=0)

    def _report(self, text: str, reward: Optional[int] = None) -> Report:
        thread = threading.current_thread().name
        return Report(sum=self._sum, thread=thread, text=text, reward=reward)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **extra: Any,
    ) -> Report:
        self._sum = 0
        self._state = State(episode_id=episode_id, step_count=0)
        return self._report("")

    def step(
        self, action: Order, timeout_s: Optional[float] = None, **extra: Any
    ) -> Report:
        time.sleep(action.sleep_ms / 1000)
        if action.fail is not None:
            raise RuntimeError(action.fail)
        self._sum += action.add
        self._state.step_count += 1
        return self._report("x" * action.repeat, action.add)

    @property
    def state(self) -> State:
        return self._state


app = create_app(
    Probe,
    Order,
    Report,
    env_name="probe",
    max_concurrent_envs=int(os.environ["MAX_CONCURRENT_ENVS"]),
)
