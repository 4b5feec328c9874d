"""Signatures with their annotations: some packages look at them."""

import inspect

from openenv.core import env_server, rubrics, utils
from openenv.core.client_types import StepResult
from openenv.core.env_server import exceptions, mcp_environment, web_interface

FUNCTIONS = {
    "create_app": env_server.create_app,
    "create_fastapi_app": env_server.create_fastapi_app,
    "create_web_interface_app": env_server.create_web_interface_app,
    "HTTPEnvServer": env_server.HTTPEnvServer.__init__,
    "register_routes": env_server.HTTPEnvServer.register_routes,
    "load_environment_metadata": web_interface.load_environment_metadata,
    "WebInterfaceManager": web_interface.WebInterfaceManager.__init__,
    "deserialize_action": env_server.deserialize_action,
    "deserialize_action_with_preprocessing": env_server.deserialize_action_with_preprocessing,
    "serialize_observation": env_server.serialize_observation,
    "get_server_tools": mcp_environment.get_server_tools,
    "run_async_safely": utils.run_async_safely,
    "convert_to_ws_url": utils.convert_to_ws_url,
    "hf_space_subdomain": utils.hf_space_subdomain,
    "StepResult": StepResult,
}

CLASSES = (
    env_server.Environment,
    env_server.MCPEnvironment,
    env_server.Transform,
    env_server.TaskProvider,
    rubrics.Rubric,
    rubrics.TrajectoryRubric,
    rubrics.ExponentialDiscountingTrajectoryRubric,
)


def observe():
    seen = {
        name: [str(inspect.signature(function)), _annotations(function)]
        for name, function in FUNCTIONS.items()
    }
    for cls in CLASSES:
        for name, value in sorted(vars(cls).items()):
            if name.startswith("_") and name not in ("__init__", "__call__"):
                # Helpers that authors call count; the implementation's own do not.
                if not name.startswith(("_apply", "_reset", "_step", "_handle", "_async")):
                    continue
            if isinstance(value, property):
                seen[f"{cls.__name__}.{name}"] = str(inspect.signature(value.fget))
            elif inspect.isfunction(value):
                # `list[Any]` and `List[Any]` are the same thing.
                text = str(inspect.signature(value)).replace("typing.", "")
                seen[f"{cls.__name__}.{name}"] = text.replace("List[", "list[")
        seen[f"abstract in {cls.__name__}"] = sorted(getattr(cls, "__abstractmethods__", ()))
    for name, value in sorted(vars(exceptions).items()):
        if isinstance(value, type) and exceptions.OpenEnvError in value.__bases__:
            seen[name] = str(inspect.signature(value))
    return seen


def _annotations(function):
    return {name: str(value) for name, value in function.__annotations__.items()}
