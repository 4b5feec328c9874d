"""Every model's schema as text, since its order counts too; its configuration; enumerations."""

import enum
import json

from openenv.core import mcp_client
from openenv.core.env_server import interfaces, mcp_types, types
from pydantic import BaseModel, TypeAdapter


def observe():
    seen = {}
    for module in (types, mcp_types, mcp_client):
        for name, value in sorted(vars(module).items()):
            if not isinstance(value, type) or value is BaseModel:
                continue
            if issubclass(value, BaseModel):
                seen[name] = {
                    mode: json.dumps(value.model_json_schema(mode=mode))
                    for mode in ("validation", "serialization")
                }
                seen[name]["config"] = repr(sorted(value.model_config.items()))
                seen[name]["module"] = value.__module__
            elif issubclass(value, enum.Enum) and value is not enum.Enum:
                seen[name] = [value.__doc__, [[m.name, m.value] for m in value]]
    for name, value in (
        ("WSIncomingMessage", types.WSIncomingMessage),
        ("Scalar", types.Scalar),
        ("conversation", interfaces.Message),
    ):
        schema = TypeAdapter(value).json_schema()
        # The docstring of `Message` is for its readers, not for the wire.
        schema.pop("description", None)
        seen[name] = json.dumps(schema)
    return seen
