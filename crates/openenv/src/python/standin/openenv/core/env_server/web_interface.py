"""The web interface: asking for it is the same as asking for the server, which has its own."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any, Callable, Optional, Type

from openenv._left_out import StandInError, left_out

from . import _utils, serialization
from .application import Application as FastAPI
from .http_server import create_fastapi_app
from .interfaces import Environment
from .types import Action, EnvironmentMetadata, Observation, State

# Parts for authors who build a page of their own.
__getattr__ = left_out(
    __name__,
    "ActionLog",
    "EpisodeState",
    "OPENENV_GRADIO_CSS",
    "OPENENV_GRADIO_THEME",
    "_extract_action_fields",
    "_is_chat_env",
    "build_gradio_app",
    "get_gradio_display_title",
    "get_quick_start_markdown",
    lenders=(serialization, _utils),
)


def load_environment_metadata(
    env: Environment, env_name: Optional[str] = None
) -> EnvironmentMetadata:
    """What an environment says of itself; of a factory, what can be known without calling it."""
    if isinstance(env, Environment):
        return env.get_metadata()
    factory = env.func if isinstance(env, functools.partial) else env
    if isinstance(factory, type):
        name = factory.__name__
    else:
        name = env_name or factory.__name__
    return EnvironmentMetadata(
        name=env_name or name,
        description=f"{name} environment",
        version="1.0.0",
        readme_content=_load_readme_from_filesystem(env_name) or None,
    )


def _load_readme_from_filesystem(env_name: Optional[str]) -> Optional[str]:
    places = [
        os.environ.get("ENV_README_PATH"),
        env_name and f"envs/{env_name}/README.md",
        "/app/env/README.md",
        "/app/README.md",
    ]
    for place in filter(None, places):
        try:
            return Path(place).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
    return None


class WebInterfaceManager:
    """Notes what it was made with. Its calls are made by pages, which are not served here."""

    MAX_ACTION_LOGS = 1000

    def __init__(
        self,
        env: Environment,
        action_cls: Type[Action],
        observation_cls: Type[Observation],
        metadata: Optional[EnvironmentMetadata] = None,
    ):
        # A factory is not called: this environment would be one that nobody uses.
        self.env = env
        self.action_cls = action_cls
        self.observation_cls = observation_cls
        self.metadata = metadata
        self.connected_clients: list = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise StandInError(f"{__name__}.WebInterfaceManager.{name}")


def create_web_interface_app(
    env: Environment,
    action_cls: Type[Action],
    observation_cls: Type[Observation],
    env_name: Optional[str] = None,
    max_concurrent_envs: Optional[int] = None,
    concurrency_config: Optional[Any] = None,
    gradio_builder: Optional[Callable[..., Any]] = None,
    custom_tab_name: str = "Custom",
    custom_tab_primary: bool = False,
    show_default_tab: bool = True,
    title_override: Optional[str] = None,
    state_cls: Type[State] = State,
    *,
    mode: Optional[Any] = None,
    reset_observation_cls: Optional[Type[Observation]] = None,
) -> FastAPI:
    return create_fastapi_app(
        env,
        action_cls,
        observation_cls,
        max_concurrent_envs,
        concurrency_config,
        env_name,
        state_cls,
        mode=mode,
        reset_observation_cls=reset_observation_cls,
    )
