"""The probes that need no tools: what they publish, and an episode of each."""

import asyncio
import importlib

from openenv.core.env_server import (
    Environment,
    HTTPEnvServer,
    WSObservationResponse,
    WSStateResponse,
    deserialize_action,
    serialize_observation,
)

STEPS = {
    "echo": [
        {"message": "hello", "amount": 3},
        {"message": "shout", "mode": "upper"},
        {"message": "meta"},
        {"message": "types"},
        {"message": "raise"},
        {"message": "invalid"},
        {"message": ""},
        {"message": "x", "amount": 11},
        *({"message": f"reward:{kind}"} for kind in ("int", "float", "bool", "none", "nan")),
        {"message": "done"},
    ],
    "plain": [{"x": 1}, {"x": "2"}, {"x": 2.5}, {}],
    "waiting": [{"x": 4}, {"x": 5}],
    "tool_style": [
        {"type": "list_tools"},
        {"tool_name": "ping", "arguments": {"a": 1}},
        {"type": "call_tool", "tool_name": "pong"},
    ],
}

# As a worker does it: the one place through which every way of making an application goes.
noted = []
original = HTTPEnvServer.__init__


def note(self, *args, **kwargs):
    noted.append(self)
    original(self, *args, **kwargs)


HTTPEnvServer.__init__ = note


def observe():
    seen = {}
    for name, steps in STEPS.items():
        importlib.import_module(f"probes.{name}")
        server = noted.pop()
        env = server._env_factory()
        seen[f"{name} is served as"] = _served(server)
        seen[f"{name} says"] = env.get_metadata().model_dump()
        seen[f"{name} starts"] = _observation(
            lambda: _call(env, "reset", **({} if name == "plain" else {"seed": 7}))
        )
        for number, step in enumerate(steps):
            seen[f"{name} step {number}"] = _observation(
                lambda: _call(env, "step", deserialize_action(step, server.action_cls))
            )
        seen[f"{name} state"] = WSStateResponse(data=env.state.model_dump()).model_dump_json()
        seen[f"{name} ends"] = [env.close(), env.render_web({}), env.web_actions({})]
    return seen


def _served(server):
    classes = ("action_cls", "observation_cls", "reset_observation_cls", "state_cls")
    return {
        "schemas": [getattr(server, name).model_json_schema() for name in classes],
        "name": server.env_name,
        "capacity": server.get_capacity_status().model_dump(),
        "concurrency": server.concurrency_config.model_dump(),
        "safe": server.is_concurrency_safe,
        "one thread": server._requires_single_thread_executor,
    }


def _call(env, name, *args, **kwargs):
    """The asynchronous method if the author wrote one."""
    waiting = getattr(env, f"{name}_async")
    if waiting.__func__ is not getattr(Environment, f"{name}_async"):
        return asyncio.run(waiting(*args, **kwargs))
    return getattr(env, name)(*args, **kwargs)


def _observation(call):
    try:
        data = serialize_observation(call())
    except Exception as error:
        return [type(error).__name__, str(error)]
    return WSObservationResponse(data=data).model_dump_json()
