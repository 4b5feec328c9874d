"""The base of clients: to derive from, not to use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Dict, Generic, TypeVar

from openenv._left_out import left_out

from . import utils
from ._refusing import Refusing, refuse
from .client_types import StateT, StepResult
from .containers import runtime

ActT = TypeVar("ActT")
ObsT = TypeVar("ObsT")

__getattr__ = left_out(__name__, lenders=(utils, runtime))


class EnvClient(Refusing, ABC, Generic[ActT, ObsT, StateT]):
    """A client of an environment's server."""

    @abstractmethod
    def _step_payload(self, action: ActT) -> Dict[str, Any]: ...

    @abstractmethod
    def _parse_result(self, payload: Dict[str, Any]) -> StepResult[ObsT]: ...

    @abstractmethod
    def _parse_state(self, payload: Dict[str, Any]) -> StateT: ...

    @classmethod
    def from_docker_image(cls, image: str, *args: Any, **kwargs: Any) -> Any:
        refuse(cls)

    @classmethod
    def from_env(cls, repo_id: str, **kwargs: Any) -> Any:
        refuse(cls)
