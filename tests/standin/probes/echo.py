"""Typed action, observation, reset observation and state; rewards of every type."""

from typing import Any, Dict, Literal, Optional

from openenv.core.env_server import (
    Action,
    ConcurrencyConfig,
    Environment,
    Observation,
    State,
    create_app,
)
from openenv.core.env_server.types import EnvironmentMetadata
from pydantic import BaseModel, Field


class EchoAction(Action):
    message: str = Field(..., min_length=1, max_length=100, description="Text to echo")
    amount: int = Field(default=1, ge=0, le=10, description="Reward multiplier")
    mode: Literal["plain", "upper"] = "plain"


class EchoObservation(Observation):
    echoed: str = Field(default="", description="Echoed text")
    length: int = 0
    payload: Any = None


class EchoResetObservation(Observation):
    greeting: str = "ready"
    seed: Optional[int] = None
    extra: Dict[str, Any] = Field(default_factory=dict)


class EchoState(State):
    last_message: Optional[str] = None
    total_reward: float = 0.0


class Inner(BaseModel):
    n: int


REWARDS = {"int": 3, "float": 2.5, "bool": True, "none": None, "nan": float("nan")}


class EchoEnv(Environment[EchoAction, Observation, EchoState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = EchoState()

    def reset(self, seed=None, episode_id=None, **kwargs):
        if kwargs.get("explode"):
            raise RuntimeError("reset exploded")
        self._state = EchoState(episode_id=episode_id or "default")
        return EchoResetObservation(seed=seed, extra=kwargs)

    def step(self, action, timeout_s=None, **kwargs):
        text = action.message
        self._state.step_count += 1
        self._state.last_message = text
        if text == "raise":
            raise ValueError("boom from env")
        if text == "invalid":
            Inner(n="not a number")
        reward: Any = float(action.amount * len(text))
        metadata: Dict[str, Any] = {"k": {"a": [1, 2]}} if text == "meta" else {}
        payload = None
        if text.startswith("reward:"):
            reward = REWARDS[text.partition(":")[2]]
        if text == "types":
            payload = {"f": 1.0, "n": None, "u": "é☃", "t": (1, 2), "m": Inner(n=1)}
        self._state.total_reward += reward if isinstance(reward, float) else 0.0
        return EchoObservation(
            echoed=text.upper() if action.mode == "upper" else text,
            length=len(text),
            payload=payload,
            reward=reward,
            done=text == "done",
            metadata=metadata,
        )

    @property
    def state(self):
        return self._state

    def get_metadata(self):
        return EnvironmentMetadata(name="Echo", description="probe", author="us")


app = create_app(
    EchoEnv,
    EchoAction,
    EchoObservation,
    env_name="echo_env",
    concurrency_config=ConcurrencyConfig(max_concurrent_envs=2, session_timeout=5.0),
    state_cls=EchoState,
    reset_observation_cls=EchoResetObservation,
)


@app.get("/extra")
def extra():
    return {}
