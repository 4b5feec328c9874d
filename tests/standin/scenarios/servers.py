"""What is refused before anything is served, and small functions."""

import functools
import os
import tempfile

from openenv.core.env_server import (
    ConcurrencyConfig,
    HTTPEnvServer,
    JsonRpcError,
    JsonRpcErrorCode,
    JsonRpcResponse,
    SchemaResponse,
    ServerCapacityStatus,
    ServerMode,
    create_app,
    create_fastapi_app,
    exceptions,
)
from openenv.core.env_server.web_interface import load_environment_metadata
from openenv.core.utils import convert_to_ws_url, hf_space_subdomain, run_async_safely
from probes.plain import PlainAction, PlainEnv, PlainObservation

CLASSES = (PlainAction, PlainObservation)


def make():
    return PlainEnv()


def observe():
    both = {"max_concurrent_envs": 1, "concurrency_config": ConcurrencyConfig()}
    seen = {
        "both capacities": _outcome(lambda: HTTPEnvServer(PlainEnv, *CLASSES, **both)),
        "both for an app": _outcome(lambda: create_app(PlainEnv, *CLASSES, **both)),
        "an instance": _outcome(lambda: create_app(PlainEnv(), *CLASSES))[0],
        "no capacity": _outcome(lambda: create_app(PlainEnv, *CLASSES, None, 0))[0],
        "wrong mode": _outcome(lambda: create_app(PlainEnv, *CLASSES, mode="maybe")),
        "names": [
            HTTPEnvServer(factory, *CLASSES).env_name
            for factory in (PlainEnv, make, functools.partial(PlainEnv))
        ],
        "filtered": HTTPEnvServer(PlainEnv, *CLASSES)._get_valid_kwargs(
            _signature(make_with), {"a": 1, "b": 2, "c": 3}, skip_params={"b"}
        ),
    }
    os.environ["OPENENV_MODE"] = "never"
    seen["wrong mode from outside"] = _outcome(lambda: create_fastapi_app(PlainEnv, *CLASSES))
    del os.environ["OPENENV_MODE"]
    for mode in (ServerMode.PRODUCTION, "SIMULATION"):
        create_app(PlainEnv, *CLASSES, mode=mode)

    for error in (
        exceptions.ConcurrencyConfigurationError("E", 4),
        exceptions.SessionCapacityError(2, 2),
        exceptions.SessionNotFoundError("s"),
        exceptions.SessionCreationError("r"),
        exceptions.EnvironmentFactoryError("f"),
        exceptions.EnvironmentFactoryError("f", message="m"),
    ):
        seen[repr(error)] = [str(error), vars(error)]

    for code in JsonRpcErrorCode:
        answer = JsonRpcResponse.error_response(code, request_id=1, data={"d": 1})
        seen[f"code {code.value}"] = [answer.model_dump(), answer.model_dump_json()]
    seen["named"] = JsonRpcError.from_code(JsonRpcErrorCode.PARSE_ERROR, "m").model_dump()
    seen["success"] = JsonRpcResponse.success(None, "x").model_dump_json()
    seen["schema"] = [
        SchemaResponse(action={}, observation={}, state={}, **more).model_dump_json()
        for more in ({}, {"reset_observation": {"a": 1}})
    ]
    status = ServerCapacityStatus.from_counts(1, 2)
    seen["capacity"] = [status.available_slots, status.is_at_capacity]
    seen["over capacity"] = _outcome(lambda: ServerCapacityStatus.from_counts(3, 2))[0]

    for env in (PlainEnv, make, functools.partial(PlainEnv), PlainEnv()):
        for name in (None, "plain_env"):
            metadata = load_environment_metadata(env, name).model_dump()
            seen[f"metadata {type(env).__name__} {name}"] = metadata
    with tempfile.NamedTemporaryFile("w", suffix=".md") as readme:
        readme.write("# Title")
        readme.flush()
        os.environ["ENV_README_PATH"] = readme.name
        seen["readme"] = load_environment_metadata(PlainEnv, "plain_env").model_dump()
        del os.environ["ENV_README_PATH"]

    for url in ("http://h:1/", "https://h", "ws://h", "wss://h/", "h:80", "ftp://h"):
        seen[url] = convert_to_ws_url(url)
    seen["subdomain"] = hf_space_subdomain("Owner/my_Env.2")
    seen["a coroutine"] = [run_async_safely(_one()), run_async_safely(_nested())]
    return seen


def make_with(a, c=None):
    return None


def _signature(function):
    import inspect

    return inspect.signature(function)


async def _one():
    return 1


async def _nested():
    return run_async_safely(_one())


def _outcome(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return "fine"
