"""Rubrics that judge an episode as a whole."""

from abc import abstractmethod
from typing import Any, Dict, List, Tuple

from .base import Rubric


class TrajectoryRubric(Rubric):
    """Keeps the steps; scores them when an observation is `done`."""

    _trajectory: List[Tuple[Any, Any]]
    intermediate_reward: float

    def __init__(self, intermediate_reward: float = 0.0):
        super().__init__()
        self.intermediate_reward = intermediate_reward
        self._trajectory = []

    @abstractmethod
    def score_trajectory(self, trajectory: List[Tuple[Any, Any]]) -> float:
        raise NotImplementedError

    @abstractmethod
    def compute_step_rewards(self) -> List[float]:
        """The score divided: one reward for each step."""
        raise NotImplementedError

    def forward(self, action: Any, observation: Any) -> float:
        self._trajectory.append((action, observation))
        if getattr(observation, "done", False):
            return self.score_trajectory(self._trajectory)
        return self.intermediate_reward

    def reset(self) -> None:
        self._trajectory = []

    @property
    def trajectory(self) -> List[Tuple[Any, Any]]:
        return list(self._trajectory)

    def state_dict(self) -> Dict[str, Any]:
        return {"intermediate_reward": self.intermediate_reward}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self.intermediate_reward = state.get("intermediate_reward", self.intermediate_reward)


class ExponentialDiscountingTrajectoryRubric(TrajectoryRubric):
    """Divides the score so that each step gets `gamma` times what the next one gets."""

    gamma: float

    def __init__(self, gamma: float = 0.99, intermediate_reward: float = 0.0):
        super().__init__(intermediate_reward=intermediate_reward)
        if not 0.0 <= gamma <= 1.0:
            raise ValueError(f"gamma must be in [0, 1], got {gamma}")
        self.gamma = gamma

    def compute_step_rewards(self) -> List[float]:
        if not self._trajectory:
            return []
        score = self.score_trajectory(self._trajectory)
        steps_left = reversed(range(len(self._trajectory)))
        return [score * self.gamma**left for left in steps_left]

    def state_dict(self) -> Dict[str, Any]:
        return {**super().state_dict(), "gamma": self.gamma}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.gamma = state.get("gamma", self.gamma)
