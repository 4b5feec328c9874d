"""Transforms that any environment can use."""

from typing import List

from .interfaces import Transform
from .types import Observation


class CompositeTransform(Transform):
    """Several transforms, one after the other."""

    def __init__(self, transforms: List[Transform]):
        self.transforms = transforms

    def __call__(self, observation: Observation) -> Observation:
        for transform in self.transforms:
            observation = transform(observation)
        return observation


class NullTransform(Transform):
    """Changes nothing."""

    def __call__(self, observation: Observation) -> Observation:
        return observation
