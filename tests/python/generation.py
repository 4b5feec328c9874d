"""What the installed generation of the client can do, and one way to use all of them.

| generation         | client                                                                    |
|--------------------|---------------------------------------------------------------------------|
| openenv-core 0.2.1 | blocking only, replies up to 1 MiB                                        |
| openenv-core 0.3.0 | async, `.sync()`, replies up to 100 MB                                    |
| openenv 0.4.1      | async and blocking in one class, keepalive settings, `new_session()`      |
| openenv 0.10.0     | drops the socket after a time-out, tool client attaches to a session      |
"""

import inspect
from importlib import metadata
from typing import Any

from openenv.core import EnvClient, GenericEnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import Action, Observation, State


def _installed() -> tuple[str, str]:
    for distribution in ("openenv", "openenv-core"):
        try:
            return distribution, metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    raise RuntimeError("no generation of the client is installed")


DISTRIBUTION, VERSION_TEXT = _installed()
VERSION = tuple(int(part) for part in VERSION_TEXT.split("."))
_PARAMETERS = inspect.signature(EnvClient.__init__).parameters

IS_ASYNC = hasattr(EnvClient, "sync")
# The same object works with and without `await`.
IS_DUAL = IS_ASYNC and not inspect.iscoroutinefunction(EnvClient.reset)
HAS_KEEPALIVE_SETTINGS = "websocket_ping_interval_s" in _PARAMETERS
HAS_NEW_SESSION = hasattr(EnvClient, "new_session")
HAS_MESSAGE_SIZE_SETTING = "max_message_size_mb" in _PARAMETERS
DROPS_SOCKET_AFTER_TIMEOUT = VERSION >= (0, 10)
READS_ERROR_AFTER_FAILED_SEND = VERSION >= (0, 10)
TOOL_CLIENT_ATTACHES = VERSION >= (0, 10)
TOOL_CALLS_ARE_STEPS = VERSION < (0, 10)
HAS_TOOL_CALLS_OVER_HTTP = VERSION >= (0, 3)


def blocking(client: EnvClient) -> Any:
    """The blocking face of a client: itself in the oldest generation, a wrapper since."""
    return client.sync() if IS_ASYNC else client


def generic(url: str, **settings: Any) -> Any:
    """A blocking client that speaks dictionaries."""
    return blocking(GenericEnvClient(base_url=url, **settings))


class EchoAction(Action):
    message: str


class EchoObservation(Observation):
    echoed_message: str
    message_length: int = 0


class EchoClient(EnvClient[EchoAction, EchoObservation, State]):
    """What the author of an environment package ships to its users."""

    def _step_payload(self, action: EchoAction) -> dict[str, Any]:
        return {"message": action.message}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[EchoObservation]:
        fields = payload["observation"]
        observation = EchoObservation(
            echoed_message=fields["echoed_message"],
            message_length=fields["message_length"],
            done=payload["done"],
            reward=payload["reward"],
        )
        return StepResult(observation=observation, reward=payload["reward"], done=payload["done"])

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
