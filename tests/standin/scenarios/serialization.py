"""Tables of actions in and observations out."""

from typing import Any, List, Optional, Union

from openenv.core.env_server import (
    Action,
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    Observation,
    State,
    ToolError,
    WSObservationResponse,
    deserialize_action,
    deserialize_action_with_preprocessing,
    serialize_observation,
)
from pydantic import ValidationError


class Own(Action):
    type: str = "own"
    action_id: Optional[int] = None
    tokens: Union[List[int], int, None] = None
    arguments: Any = None


ACTIONS = [
    {},
    {"metadata": {"a": 1}},
    {"metadata": None},
    {"unknown": 1},
    {"type": "list_tools"},
    {"type": "list_tools", "extra": 1},
    {"type": "call_tool"},
    {"type": "call_tool", "tool_name": "t"},
    {"tool_name": "t", "arguments": {"x": [1, None]}},
    {"type": "call_tool", "tool_name": "t", "arguments": '{"x": 1}'},
    {"type": "call_tool", "tool_name": "t", "arguments": "not json"},
    {"type": "call_tool", "tool_name": "t", "arguments": None},
    {"type": "call_tool", "tool_name": 7},
    {"type": "other"},
    {"type": ["not", "a", "name"]},
    {"type": None},
    {"action_id": "12"},
    {"action_id": "x"},
    {"action_id": 2.0},
    {"tokens": "[1, 2]"},
    {"tokens": "nonsense"},
    {"tokens": "3"},
    {"tokens": [1, 2]},
    {"tokens": '{"a": 1}'},
]

OBSERVATIONS = [
    Observation(),
    Observation(done=True, reward=1),
    Observation(reward=True),
    Observation(reward=0.5, metadata={"a": (1, 2)}),
    Observation(reward="2.5"),
    CallToolObservation(tool_name="t", result={"x": 1}),
    CallToolObservation(tool_name="t", error=ToolError(error_type="timeout", message="m")),
]


def observe():
    seen = {}
    for action_cls in (Action, CallToolAction, ListToolsAction, Own):
        for data in ACTIONS:
            for read in (deserialize_action, deserialize_action_with_preprocessing):
                key = f"{read.__name__} {action_cls.__name__} {data}"
                seen[key] = _outcome(lambda: read(data, action_cls))
    for number, observation in enumerate(OBSERVATIONS):
        data = serialize_observation(observation)
        seen[f"observation {number}"] = [
            repr(data),
            WSObservationResponse(data=data).model_dump_json(),
        ]
    seen["assignment"] = _outcome(lambda: setattr(Observation(), "done", "perhaps"))
    seen["negative"] = _outcome(lambda: State(step_count=-1))
    seen["more"] = _outcome(lambda: State(anything=[1]))
    return seen


def _outcome(call):
    try:
        result = call()
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    except Exception as error:
        return repr(error)
    return repr(result)
