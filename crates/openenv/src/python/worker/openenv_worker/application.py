"""What an author's package serves: a factory and the types around it."""

import functools
import importlib
import inspect
import json
import platform
import sys
import types
import typing

# The package with the base types, under its name and under the one that it had.
CORES = ("openenv.core.env_server", "openenv_core.env_server")


class Application:
    def __init__(
        self, factory, action, observation, *, state, reset, name, capacity, module, core
    ):
        self.factory = factory
        self.action_type = action
        self.observation_type = observation
        self.state_type = state
        self.reset_type = reset
        self.name = name
        self.capacity = capacity
        self.module = module
        self.core = core
        self._deserialize = getattr(self.core, "deserialize_action", None)

    @classmethod
    def recorded(cls, arguments, core, module):
        """From the arguments of the server that would have been made.

        `core` is the name of the package that it would have been made by.
        """
        core = importlib.import_module(core)
        config = arguments.get("concurrency_config")
        capacity = arguments.get("max_concurrent_envs")
        if capacity is None and config is not None:
            capacity = config.max_concurrent_envs
        factory = arguments["env"]
        # Older generations give their servers no names.
        name = None
        if "env_name" in arguments:
            name = arguments["env_name"] or getattr(factory, "__name__", None)
        return cls(
            factory,
            arguments["action_cls"],
            arguments["observation_cls"],
            state=arguments.get("state_cls") or core.State,
            reset=arguments.get("reset_observation_cls"),
            name=name,
            capacity=capacity,
            module=module,
            core=core,
        )

    @classmethod
    def annotated(cls, factory, module):
        """From what a class says about its own methods."""
        made = factory
        if not inspect.isclass(made):
            made = typing.get_type_hints(made).get("return")
            if not inspect.isclass(made):
                raise TypeError(
                    f"`{name_of(factory)}` does not say what it makes: give it a return annotation"
                )
        base = core_of(made)
        parameters = dict(zip(("action", "observation", "state"), generic_arguments(made)))
        hints = typing.get_type_hints(made.step)
        arguments = [name for name in inspect.signature(made.step).parameters if name != "self"]
        action = hints.get(arguments[0]) if arguments else None
        action = one_model(action) or one_model(parameters.get("action"))
        observation = one_model(hints.get("return")) or one_model(parameters.get("observation"))
        if action is None or observation is None:
            what = "what it takes" if action is None else "what it returns"
            raise TypeError(
                f"`{made.__name__}.step` does not say {what}: annotate it, as "
                f"`def step(self, action: MyAction) -> MyObservation`"
            )
        reset = one_model(typing.get_type_hints(made.reset).get("return"))
        state = getattr(made, "state", None)
        state = getattr(state, "fget", state)
        state = one_model(typing.get_type_hints(state).get("return")) if state else None
        return cls(
            factory,
            action,
            observation,
            state=state or one_model(parameters.get("state")) or base.State,
            reset=None if reset is observation else reset,
            name=getattr(factory, "__name__", None),
            capacity=None,
            module=module,
            core=base,
        )

    @functools.cached_property
    def state_adapter(self):
        """What writes a state as its declared type has it."""
        from pydantic import TypeAdapter

        return TypeAdapter(self.state_type)

    def parse(self, payload):
        """The action in a payload.

        # Errors
        pydantic's, if it does not fit.
        """
        data = json.loads(payload)
        if self._deserialize is not None:
            return self._deserialize(data, self.action_type)
        return self.action_type.model_validate(data)

    def speaks_in_tools(self):
        """Whether its actions are the calls of tools and nothing else."""
        calls = getattr(self.core, "CallToolAction", None)
        lists = getattr(self.core, "ListToolsAction", None)
        return self.action_type in (calls, lists)

    def report(self):
        made = self.factory
        while isinstance(made, functools.partial):
            made = made.func
        is_class = inspect.isclass(made)
        return {
            "python": platform.python_version(),
            "openenv": version(),
            "standin": bool(getattr(sys.modules.get("openenv"), "STANDIN", False)),
            "module": self.module,
            "name": self.name,
            "factory": name_of(self.factory),
            "environment": made.__name__ if is_class else None,
            "types": {
                "action": self.action_type.__name__,
                "observation": self.observation_type.__name__,
                "state": self.state_type.__name__,
                "reset_observation": (self.reset_type or self.observation_type).__name__,
            },
            "schemas": {
                "action": self.action_type.model_json_schema(),
                "observation": self.observation_type.model_json_schema(),
                "state": self.state_type.model_json_schema(),
                "reset_observation": (self.reset_type or self.observation_type).model_json_schema(),
            },
            "capacity": self.capacity,
            "traits": traits(made) if is_class else None,
        }


def traits(environment):
    """The flags that decide how an environment can be run."""
    return {
        "concurrent": bool(getattr(environment, "SUPPORTS_CONCURRENT_SESSIONS", False)),
        "single_thread": bool(getattr(environment, "REQUIRES_SINGLE_THREAD_EXECUTOR", False)),
    }


def core_of(environment):
    """The package with the base types that a class was derived from, if it was."""
    for base in environment.__mro__:
        package, _, module = base.__module__.rpartition(".")
        if module == "interfaces" and package.endswith(".env_server"):
            return importlib.import_module(package)
    # One of them has been imported, to see what it is asked for.
    return next(sys.modules[name] for name in CORES if name in sys.modules)


def version():
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    for name in ("openenv", "openenv-core"):
        try:
            return installed(name)
        except PackageNotFoundError:
            pass
    return None


def name_of(factory):
    while isinstance(factory, functools.partial):
        factory = factory.func
    return getattr(factory, "__name__", None) or type(factory).__name__


def generic_arguments(made):
    for base in getattr(made, "__orig_bases__", ()):
        arguments = typing.get_args(base)
        if arguments:
            return arguments
    return ()


def one_model(annotation):
    """The one model that an annotation names, be it optional or awaitable."""
    if inspect.isclass(annotation) and hasattr(annotation, "model_json_schema"):
        return annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        found = [one_model(choice) for choice in typing.get_args(annotation)]
        found = [model for model in found if model is not None]
        return found[0] if len(found) == 1 else None
    return None
