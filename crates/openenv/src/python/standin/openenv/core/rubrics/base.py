"""One rubric: a score for an action and what came of it."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple


class Rubric(ABC):
    """To call it runs the hooks around `forward` and keeps the score in `last_score`.

    `forward` may be a coroutine; then so is the call. A rubric that is assigned to an attribute
    becomes a child under that name.
    """

    _rubric_children: Dict[str, "Rubric"]
    _forward_hooks: List[Callable]
    _forward_pre_hooks: List[Callable]
    last_score: Optional[float]

    def __init__(self):
        self._rubric_children = {}
        self._forward_hooks = []
        self._forward_pre_hooks = []
        self.last_score = None

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Rubric):
            self._rubric_children[name] = value
        super().__setattr__(name, value)

    @abstractmethod
    def forward(self, action: Any, observation: Any) -> float:
        raise NotImplementedError

    def __call__(self, action: Any, observation: Any):
        if inspect.iscoroutinefunction(self.forward):
            score = self.forward(action, observation)
            return self._settle_async(action, observation, score)
        self._before(action, observation)
        score = self.forward(action, observation)
        if inspect.iscoroutine(score):
            # Handed on from a child that is one; the hooks before it have run.
            ran = len(self._forward_pre_hooks)
            return self._settle_async(action, observation, score, ran)
        return self._after(action, observation, score)

    async def _settle_async(self, action, observation, score, ran=0):
        """The end of a call that waits; `ran` of the hooks before it have run."""
        for hook in self._forward_pre_hooks[ran:]:
            await _maybe(hook, self, action, observation)
        self.last_score = score = await score
        for hook in self._forward_hooks:
            await _maybe(hook, self, action, observation, score)
        return score

    def _before(self, action, observation, ran=0):
        for hook in self._forward_pre_hooks[ran:]:
            hook(self, action, observation)

    def _after(self, action, observation, score):
        self.last_score = score
        for hook in self._forward_hooks:
            hook(self, action, observation, score)
        return score

    def register_forward_hook(self, hook: Callable[["Rubric", Any, Any, float], None]) -> None:
        self._forward_hooks.append(hook)

    def register_forward_pre_hook(self, hook: Callable[["Rubric", Any, Any], None]) -> None:
        self._forward_pre_hooks.append(hook)

    def children(self) -> Iterator["Rubric"]:
        yield from self._rubric_children.values()

    def named_children(self) -> Iterator[Tuple[str, "Rubric"]]:
        yield from self._rubric_children.items()

    def rubrics(self) -> Iterator["Rubric"]:
        """All below this one, parents first."""
        for child in self._rubric_children.values():
            yield child
            yield from child.rubrics()

    def named_rubrics(self, prefix: str = "") -> Iterator[Tuple[str, "Rubric"]]:
        """All below this one, parents first, by their dotted paths."""
        for name, child in self._rubric_children.items():
            path = f"{prefix}.{name}" if prefix else name
            yield path, child
            yield from child.named_rubrics(path)

    def get_rubric(self, path: str) -> "Rubric":
        found = self
        for name in path.split("."):
            if name not in found._rubric_children:
                raise KeyError(f"Rubric path not found: {path}")
            found = found._rubric_children[name]
        return found

    def reset(self) -> None:
        """Forget the episode."""

    def state_dict(self) -> Dict[str, Any]:
        return {}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""


async def _maybe(hook, *args):
    if inspect.iscoroutinefunction(hook):
        await hook(*args)
    else:
        hook(*args)
