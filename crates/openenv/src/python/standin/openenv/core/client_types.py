"""What a client hands back."""

from dataclasses import dataclass
from typing import Any, Dict, Generic, Optional, TypeVar

ObsT = TypeVar("ObsT")
StateT = TypeVar("StateT")


@dataclass
class StepResult(Generic[ObsT]):
    """An observation and what belongs to it."""

    observation: ObsT
    reward: Optional[float] = None
    done: bool = False
    metadata: Optional[Dict[str, Any]] = None
