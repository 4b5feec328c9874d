"""Rubrics made of rubrics."""

import asyncio
import inspect
from abc import abstractmethod
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .base import Rubric


class _Combined(Rubric):
    """Combines its children's scores, some of which may have to be waited for.

    `_combine` is a generator: it yields what a child's call returned and gets the score back. So
    one text serves both those who wait and those who do not, and only the first coroutine decides.
    """

    @abstractmethod
    def _combine(self, action: Any, observation: Any): ...

    def forward(self, action: Any, observation: Any) -> float:
        work = self._combine(action, observation)
        try:
            score = next(work)
            while True:
                score = work.send(score)
        except StopIteration as end:
            return end.value

    def __call__(self, action: Any, observation: Any):
        # Hooks come before the children, but whether those that wait can be waited for is known
        # only after the first child.
        ran = 0
        for hook in self._forward_pre_hooks:
            if inspect.iscoroutinefunction(hook):
                break
            hook(self, action, observation)
            ran += 1

        work = self._combine(action, observation)
        try:
            score = next(work)
            while not inspect.iscoroutine(score):
                score = work.send(score)
        except StopIteration as end:
            return self._settle(action, observation, end.value, ran)
        return self._settle_async(action, observation, _finish(work, score), ran)

    def _settle(self, action, observation, score, ran):
        self._before(action, observation, ran)
        return self._after(action, observation, score)


async def _finish(work, score):
    """Runs a generator to its end, waiting for what it yields where that is a coroutine."""
    try:
        while True:
            score = work.send(await score if inspect.iscoroutine(score) else score)
    except StopIteration as end:
        return end.value


class Sequential(_Combined):
    """The last score, or 0 as soon as there is one."""

    def __init__(self, *rubrics: Rubric):
        super().__init__()
        self._rubric_list = _numbered(self, rubrics)

    def _combine(self, action, observation):
        score = 1.0
        for rubric in self._rubric_list:
            score = yield rubric(action, observation)
            if score == 0.0:
                return 0.0
        return score

    def _settle(self, action, observation, score, ran):
        # The reference's habit: where a loop runs there is something to await, except for a 0.
        if score == 0.0 or not _loop_runs():
            return super()._settle(action, observation, score, ran)
        return self._settle_async(action, observation, _ready(score), ran)

    def __len__(self) -> int:
        return len(self._rubric_list)

    def __getitem__(self, index: int) -> Rubric:
        return self._rubric_list[index]


class Gate(_Combined):
    """A score, or 0 if it is below a threshold."""

    def __init__(self, rubric: Rubric, threshold: float = 1.0):
        super().__init__()
        self.rubric = rubric
        self.threshold = threshold

    def _combine(self, action, observation):
        score = yield self.rubric(action, observation)
        return 0.0 if score < self.threshold else score


class WeightedSum(_Combined):
    """The sum of scores times weights. Children that wait do so at the same time."""

    def __init__(self, rubrics: List[Rubric], weights: List[float]):
        super().__init__()
        if len(rubrics) != len(weights):
            raise ValueError(
                f"Number of rubrics ({len(rubrics)}) must match number of weights ({len(weights)})"
            )
        if abs(sum(weights) - 1.0) > 1e-6:
            raise ValueError(f"Weights must sum to 1.0, got {sum(weights)}")
        self._rubric_list = _numbered(self, rubrics)
        self._weights = list(weights)

    def _combine(self, action, observation):
        scores = [rubric(action, observation) for rubric in self._rubric_list]
        if any(map(inspect.iscoroutine, scores)):
            scores = yield _together(scores)
        total = 0.0
        for score, weight in zip(scores, self._weights):
            total += score * weight
        return total

    @property
    def weights(self) -> List[float]:
        return list(self._weights)


class RubricList(Rubric):
    """Children by number. What their scores come to is the parent's business."""

    def __init__(self, rubrics: Optional[List[Rubric]] = None):
        super().__init__()
        self._rubrics: List[Rubric] = []
        self.extend(rubrics or [])

    def forward(self, action: Any, observation: Any) -> float:
        raise NotImplementedError(
            "RubricList.forward() is not implemented. "
            "Use RubricList within a parent rubric that defines aggregation."
        )

    def append(self, rubric: Rubric) -> None:
        setattr(self, f"rubric_{len(self._rubrics)}", rubric)
        self._rubrics.append(rubric)

    def extend(self, rubrics: List[Rubric]) -> None:
        for rubric in rubrics:
            self.append(rubric)

    def __len__(self) -> int:
        return len(self._rubrics)

    def __getitem__(self, index: int) -> Rubric:
        return self._rubrics[index]

    def __iter__(self) -> Iterator[Rubric]:
        return iter(self._rubrics)


class RubricDict(Rubric):
    """Children by name. What their scores come to is the parent's business."""

    def __init__(self, rubrics: Optional[Dict[str, Rubric]] = None):
        super().__init__()
        self._rubric_dict: Dict[str, Rubric] = {}
        self.update(rubrics or {})

    def forward(self, action: Any, observation: Any) -> float:
        raise NotImplementedError(
            "RubricDict.forward() is not implemented. "
            "Use RubricDict within a parent rubric that defines aggregation."
        )

    def __setitem__(self, key: str, rubric: Rubric) -> None:
        setattr(self, key, rubric)
        self._rubric_dict[key] = rubric

    def __getitem__(self, key: str) -> Rubric:
        return self._rubric_dict[key]

    def __contains__(self, key: str) -> bool:
        return key in self._rubric_dict

    def __len__(self) -> int:
        return len(self._rubric_dict)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rubric_dict)

    def keys(self) -> Iterator[str]:
        return iter(self._rubric_dict.keys())

    def values(self) -> Iterator[Rubric]:
        return iter(self._rubric_dict.values())

    def items(self) -> Iterator[Tuple[str, Rubric]]:
        return iter(self._rubric_dict.items())

    def update(self, rubrics: Union[Dict[str, Rubric], Mapping[str, Rubric]]) -> None:
        for name, rubric in rubrics.items():
            self[name] = rubric


def _numbered(parent: Rubric, rubrics: Any) -> List[Rubric]:
    rubrics = list(rubrics)
    for number, rubric in enumerate(rubrics):
        setattr(parent, f"rubric_{number}", rubric)
    return rubrics


async def _together(scores: list) -> list:
    """The scores in their order; those that have to be waited for, all at once."""
    waiting = {i: score for i, score in enumerate(scores) if inspect.iscoroutine(score)}
    scores = list(scores)
    for i, score in zip(waiting, await asyncio.gather(*waiting.values())):
        scores[i] = score
    return scores


async def _ready(score: Any) -> Any:
    return score


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
