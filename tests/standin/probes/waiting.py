"""Only the asynchronous methods work; transform and rubric are applied by the author."""

import asyncio

from openenv.core.env_server import (
    Action,
    CompositeTransform,
    Environment,
    NullTransform,
    Observation,
    State,
    Transform,
    create_fastapi_app,
)
from openenv.core.rubrics import Rubric


class WaitingAction(Action):
    x: int


class WaitingObservation(Observation):
    y: int


class Plus(Transform):
    def __call__(self, observation):
        observation.y += 100
        return observation


class Half(Rubric):
    async def forward(self, action, observation):
        await asyncio.sleep(0)
        return action.x / 2


class WaitingEnv(Environment):
    REQUIRES_SINGLE_THREAD_EXECUTOR = True

    def __init__(self):
        super().__init__(CompositeTransform([NullTransform(), Plus()]), Half())
        self.n = 0

    def reset(self, **kwargs):
        raise RuntimeError("not this one")

    def step(self, action, **kwargs):
        raise RuntimeError("nor this one")

    async def reset_async(self, seed=None, episode_id=None):
        await self._reset_rubric_async()
        self.n = 0
        return WaitingObservation(y=seed or 0)

    async def step_async(self, action, timeout_s=None, **kwargs):
        self.n += 1
        observation = self._apply_transform(WaitingObservation(y=action.x))
        observation.reward = await self._apply_rubric_async(action, observation)
        return observation

    @property
    def state(self):
        return State(episode_id="waiting", step_count=self.n)


app = create_fastapi_app(WaitingEnv, WaitingAction, WaitingObservation, mode="Production")
