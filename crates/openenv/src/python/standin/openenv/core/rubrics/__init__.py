"""Rewards as functions that can be put together."""

from openenv._left_out import left_out

from .base import Rubric
from .containers import Gate, RubricDict, RubricList, Sequential, WeightedSum
from .trajectory import ExponentialDiscountingTrajectoryRubric, TrajectoryRubric

__all__ = [
    "ExponentialDiscountingTrajectoryRubric",
    "Gate",
    "Rubric",
    "RubricDict",
    "RubricList",
    "Sequential",
    "TrajectoryRubric",
    "WeightedSum",
]

__getattr__ = left_out(__name__, "LLMJudge")
