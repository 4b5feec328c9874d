"""From JSON to an action, from an observation to JSON."""

import json
from typing import Any, Dict, Optional, Type

from .mcp_types import CallToolAction, ListToolsAction
from .types import Action, Observation

_TOOL_ACTIONS: Dict[str, Type[Action]] = {
    "list_tools": ListToolsAction,
    "call_tool": CallToolAction,
}


def _tool_action(action_data: Dict[str, Any], action_cls: Type[Action]) -> Optional[Action]:
    """The tool action that `type` names, unless the environment has an action of its own."""
    tool_cls = _TOOL_ACTIONS.get(action_data.get("type"))
    if tool_cls is None:
        return None
    if action_cls is Action or action_cls in _TOOL_ACTIONS.values():
        return tool_cls.model_validate(action_data)
    return None


def deserialize_action(action_data: Dict[str, Any], action_cls: Type[Action]) -> Action:
    action = _tool_action(action_data, action_cls)
    return action_cls.model_validate(action_data) if action is None else action


def deserialize_action_with_preprocessing(
    action_data: Dict[str, Any], action_cls: Type[Action]
) -> Action:
    """For the texts of a web form: some fields are parsed before they are validated."""
    call = action_data
    if call.get("type") == "call_tool" and isinstance(call.get("arguments"), str):
        call = {**call, "arguments": _json_or(call["arguments"], call["arguments"])}
    action = _tool_action(call, action_cls)
    if action is not None:
        return action
    return action_cls.model_validate(
        {name: _from_form(name, value) for name, value in action_data.items()}
    )


def _from_form(name: str, value: Any) -> Any:
    if name == "tokens" and isinstance(value, (list, str)):
        return _tensor(_json_or(value, []) if isinstance(value, str) else value)
    if name == "action_id" and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return value
    return value


def _json_or(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def _tensor(value: Any) -> Any:
    """A list becomes a tensor where PyTorch is installed."""
    if not isinstance(value, list):
        return value
    try:
        import torch
    except ImportError:
        return value
    return torch.tensor(value, dtype=torch.long)


def serialize_observation(observation: Observation) -> Dict[str, Any]:
    """`metadata` stands in two places: clients of different ages look in different ones."""
    fields = {
        "observation": observation.model_dump(exclude={"reward", "done"}),
        "reward": observation.reward,
        "done": observation.done,
    }
    if observation.metadata:
        fields["metadata"] = observation.metadata
    return fields
