"""What an author implements."""

import inspect
from abc import ABC, abstractmethod
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Generic,
    List,
    Optional,
    Protocol,
    Tuple,
    TypeVar,
)

# Pydantic brings it along, and before Python 3.12 accepts no other `TypedDict` in a model.
from typing_extensions import TypedDict

from .types import Action, EnvironmentMetadata, Observation, State

if TYPE_CHECKING:
    from openenv.core.rubrics import Rubric

ActT = TypeVar("ActT", bound=Action)
ObsT = TypeVar("ObsT", bound=Observation)
StateT = TypeVar("StateT", bound=State)


class Message(TypedDict):
    """One message of a chat."""

    role: str
    content: str


class ModelTokenizer(Protocol):
    """What a chat environment needs of a tokenizer."""

    def apply_chat_template(
        self,
        conversation: List[Message],
        tokenize: bool = True,
        return_tensors: Optional[str] = None,
        **kwargs: Any,
    ) -> Any: ...

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **kwargs: Any) -> str: ...


class TaskProvider(Protocol):
    """What an environment may have besides, to list its tasks.

    Found by the names of its methods; each may be a coroutine.
    """

    def list_splits(self) -> List[Any]: ...

    def list_tasks(self, split: str) -> List[Any]: ...

    def num_tasks(self, split: str) -> int: ...

    def get_task(self, split: str, index: int) -> Any: ...

    def get_task_range(
        self, split: str, start: Optional[int] = None, stop: Optional[int] = None
    ) -> List[Any]: ...


class Transform(ABC, Generic[ObsT]):
    """A function from an observation to the one that is sent."""

    @abstractmethod
    def __call__(self, observation: ObsT) -> ObsT: ...


class Environment(ABC, Generic[ActT, ObsT, StateT]):
    """An environment: `reset`, `step` and `state`, the rest has defaults."""

    SUPPORTS_CONCURRENT_SESSIONS: bool = False
    REQUIRES_SINGLE_THREAD_EXECUTOR: bool = False

    rubric: Optional["Rubric"]

    def __init__(
        self,
        transform: Optional[Transform[ObsT]] = None,
        rubric: Optional["Rubric"] = None,
    ):
        self.transform = transform
        self.rubric = rubric

    @abstractmethod
    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ObsT: ...

    # A server that sees the two `_async` methods overridden calls these instead of the others.
    async def reset_async(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ObsT:
        return self.reset(seed=seed, episode_id=episode_id, **kwargs)

    @abstractmethod
    def step(self, action: ActT, timeout_s: Optional[float] = None, **kwargs: Any) -> ObsT: ...

    async def step_async(
        self, action: ActT, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> ObsT:
        return self.step(action, timeout_s=timeout_s, **kwargs)

    @property
    @abstractmethod
    def state(self) -> StateT: ...

    def get_metadata(self) -> EnvironmentMetadata:
        name = type(self).__name__
        return EnvironmentMetadata(name=name, description=f"{name} environment", version="1.0.0")

    def render_web(self, observation: Dict[str, Any]) -> Optional[str]:
        """HTML that shows an observation; `None` for the server's own way."""
        return None

    def web_actions(self, observation: Dict[str, Any]) -> List[Tuple[str, Dict[str, Any]]]:
        """Labels and actions of the buttons to offer after an observation."""
        return []

    def close(self) -> None:
        """Give up what the environment holds."""

    # --- For the author to call: nothing below happens by itself -----------------------------

    def _apply_transform(self, observation: ObsT) -> ObsT:
        return observation if self.transform is None else self.transform(observation)

    def _apply_rubric(self, action: ActT, observation: ObsT) -> float:
        return 0.0 if self.rubric is None else self.rubric(action, observation)

    async def _apply_rubric_async(self, action: ActT, observation: ObsT) -> float:
        score = 0.0 if self.rubric is None else self.rubric(action, observation)
        return await score if inspect.iscoroutine(score) else score

    def _reset_rubric(self) -> None:
        if self.rubric is not None:
            self.rubric.reset()

    async def _reset_rubric_async(self) -> None:
        if self.rubric is None:
            return
        if not hasattr(self.rubric, "reset_async"):
            self.rubric.reset()
            return
        done = self.rubric.reset_async()
        if inspect.iscoroutine(done):
            await done
