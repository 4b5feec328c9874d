"""Where an environment's module says what is to be served.

Nothing is served here. A worker learns from the arguments of `HTTPEnvServer` which environment to
make; signatures and annotations are those of the real package, since some modules inspect them.
"""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any, Callable, Dict, Optional, Type

from openenv._left_out import left_out

from . import (
    _utils,
    exceptions,
    mcp_environment,
    mcp_types,
    route_config,
    serialization,
    types,
)

# By its usual name, so that the annotations below can be resolved.
from .application import Application as FastAPI
from .interfaces import Environment
from .types import (
    Action,
    ConcurrencyConfig,
    Observation,
    ServerCapacityStatus,
    ServerMode,
    SessionInfo,
    State,
)

__getattr__ = left_out(
    __name__,
    "_make_json_serializable",
    "_maybe_await",
    lenders=(
        types,
        mcp_types,
        exceptions,
        serialization,
        route_config,
        mcp_environment,
        _utils,
    ),
)


class HTTPEnvServer:
    """Notes what is to be served, under the names that subclasses know.

    One refusal of the real one is missing: an environment without
    `SUPPORTS_CONCURRENT_SESSIONS` may have several sessions, because each has its own process.
    """

    def __init__(
        self,
        env: Callable[[], Environment],
        action_cls: Type[Action],
        observation_cls: Type[Observation],
        max_concurrent_envs: Optional[int] = None,
        concurrency_config: Optional[ConcurrencyConfig] = None,
        env_name: Optional[str] = None,
        state_cls: Type[State] = State,
        *,
        reset_observation_cls: Optional[Type[Observation]] = None,
    ):
        if not callable(env):
            raise TypeError(
                f"env must be a callable (class or factory function), got {type(env)}. "
                "Pass the environment class (e.g., MyEnvironment) "
                "not an instance (e.g., MyEnvironment())."
            )
        if max_concurrent_envs is not None and concurrency_config is not None:
            raise ValueError(
                "Cannot specify both 'max_concurrent_envs' and 'concurrency_config'. "
                "Please use only one method to configure concurrency."
            )
        if concurrency_config is None:
            most = 1 if max_concurrent_envs is None else max_concurrent_envs
            concurrency_config = ConcurrencyConfig(max_concurrent_envs=most)

        self._env_factory = env
        self._concurrency_config = concurrency_config
        self._max_concurrent_envs = concurrency_config.max_concurrent_envs
        self._session_idle_timeout_s = concurrency_config.session_timeout
        self.action_cls = action_cls
        self.observation_cls = observation_cls
        self.reset_observation_cls = reset_observation_cls or observation_cls
        self.state_cls = state_cls
        self.env_name = env_name or self._default_env_name()
        self.mode: Optional[ServerMode] = None
        self._requires_single_thread_executor = self._detect_single_thread_requirement()

        # Sessions live in the server in front of the worker; here there are never any.
        self._sessions: Dict[str, Optional[Environment]] = {}
        self._session_info: Dict[str, SessionInfo] = {}
        self._session_executors: Dict[str, Any] = {}
        self._session_stacks: Dict[str, Any] = {}

    # Made on first use: a worker that needs neither need not load them.
    @functools.cached_property
    def _executor(self):
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(max_workers=32)

    @functools.cached_property
    def _session_lock(self):
        import asyncio

        return asyncio.Lock()

    def _default_env_name(self) -> str:
        return getattr(self._env_factory, "__name__", "environment")

    def _detect_single_thread_requirement(self) -> bool:
        factory = self._env_factory
        if isinstance(factory, functools.partial):
            factory = factory.func
        if not inspect.isclass(factory):
            return False
        return getattr(factory, "REQUIRES_SINGLE_THREAD_EXECUTOR", False)

    async def _run_sync_in_thread_pool(
        self, func: Callable[..., Observation], *args, **kwargs
    ) -> Observation:
        import asyncio

        call = functools.partial(func, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def _get_valid_kwargs(
        self,
        sig: inspect.Signature,
        kwargs: Dict[str, Any],
        skip_params: Optional[set[str]] = None,
    ) -> Dict[str, Any]:
        """Those of `kwargs` that a function of this signature accepts."""
        skipped = skip_params or set()
        accepts_any = any(p.kind is p.VAR_KEYWORD for p in sig.parameters.values())
        return {
            name: value
            for name, value in kwargs.items()
            if name not in skipped and (accepts_any or name in sig.parameters)
        }

    def get_capacity_status(self) -> ServerCapacityStatus:
        return ServerCapacityStatus.from_counts(self.active_sessions, self._max_concurrent_envs)

    def get_session_info(self, session_id: str) -> Optional[SessionInfo]:
        return self._session_info.get(session_id)

    @property
    def active_sessions(self) -> int:
        return len(self._sessions)

    @property
    def max_concurrent_envs(self) -> int:
        return self._max_concurrent_envs

    @property
    def concurrency_config(self) -> ConcurrencyConfig:
        return self._concurrency_config

    @property
    def is_concurrency_safe(self) -> bool:
        if inspect.isclass(self._env_factory):
            return getattr(self._env_factory, "SUPPORTS_CONCURRENT_SESSIONS", False)
        env = self._env_factory()
        try:
            return getattr(env, "SUPPORTS_CONCURRENT_SESSIONS", False)
        finally:
            env.close()

    def register_routes(self, app: FastAPI, mode: ServerMode | str = ServerMode.SIMULATION) -> None:
        """Notes the mode."""
        valid = [known.value for known in ServerMode]
        if mode.lower() not in valid:
            raise ValueError(f"Invalid mode: '{mode}'. Must be one of: {valid}")
        self.mode = ServerMode(mode.lower())


def create_app(
    env: Callable[[], Environment],
    action_cls: Type[Action],
    observation_cls: Type[Observation],
    env_name: Optional[str] = None,
    max_concurrent_envs: Optional[int] = None,
    concurrency_config: Optional[ConcurrencyConfig] = None,
    gradio_builder: Optional[Callable[..., Any]] = None,
    custom_tab_name: str = "Custom",
    custom_tab_primary: bool = False,
    show_default_tab: bool = True,
    title_override: Optional[str] = None,
    state_cls: Type[State] = State,
    *,
    mode: Optional[ServerMode | str] = None,
    reset_observation_cls: Optional[Type[Observation]] = None,
) -> FastAPI:
    """The server's own pages take the place of `gradio_builder` and what belongs to it."""
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


def create_fastapi_app(
    env: Callable[[], Environment],
    action_cls: Type[Action],
    observation_cls: Type[Observation],
    max_concurrent_envs: Optional[int] = None,
    concurrency_config: Optional[ConcurrencyConfig] = None,
    env_name: Optional[str] = None,
    state_cls: Type[State] = State,
    *,
    mode: Optional[ServerMode | str] = None,
    reset_observation_cls: Optional[Type[Observation]] = None,
) -> FastAPI:
    server = HTTPEnvServer(
        env,
        action_cls,
        observation_cls,
        max_concurrent_envs,
        concurrency_config,
        env_name,
        state_cls,
        reset_observation_cls=reset_observation_cls,
    )
    app = FastAPI(server)
    if mode is None:
        mode = os.environ.get("OPENENV_MODE", ServerMode.SIMULATION)
    server.register_routes(app, mode=mode)
    return app
