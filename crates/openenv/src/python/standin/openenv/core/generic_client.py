"""A client without types, and its actions."""

from typing import Any, Dict

from .client_types import StepResult
from .env_client import EnvClient


class GenericEnvClient(EnvClient[Dict[str, Any], Dict[str, Any], Dict[str, Any]]):
    """Dictionaries in, dictionaries out."""

    def _step_payload(self, action: Dict[str, Any]) -> Dict[str, Any]: ...

    def _parse_result(self, payload: Dict[str, Any]) -> StepResult[Dict[str, Any]]: ...

    def _parse_state(self, payload: Dict[str, Any]) -> Dict[str, Any]: ...


class GenericAction(Dict[str, Any]):
    """A dictionary that is made from keywords."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kwargs)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"GenericAction({fields})"
