"""A client that blocks."""

from typing import Generic

from ._refusing import Refusing
from .client_types import StateT, StepResult
from .env_client import ActT, ObsT


class SyncEnvClient(Refusing, Generic[ActT, ObsT, StateT]):
    """Wraps a client that does not."""
