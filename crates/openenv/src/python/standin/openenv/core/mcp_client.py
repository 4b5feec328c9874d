"""Clients of environments with tools, and the observation that they have in common."""

from typing import Any

from pydantic import ConfigDict

from .client_types import StepResult
from .env_client import EnvClient
from .env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
    ToolError,
)
from .env_server.types import Observation, State


class GenericMCPObservation(Observation):
    """Generic MCP observation that preserves env-specific fields."""

    model_config = ConfigDict(extra="allow", validate_assignment=True, arbitrary_types_allowed=True)


class MCPClientBase(EnvClient[Any, Observation, State]):
    """Lists tools."""


class MCPToolClient(MCPClientBase):
    """Calls tools."""
