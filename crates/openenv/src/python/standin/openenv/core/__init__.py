"""Environments at once; clients when they are asked for."""

from importlib import import_module

from . import env_server
from .env_server import *

# `LLMClient` and its kin are missing here on purpose: `from openenv.core import *` works without
# them, and to name one of them says that the real package is needed.
__all__ = [
    "EnvClient",
    "GenericAction",
    "GenericEnvClient",
    "MCPClientBase",
    "MCPToolClient",
    "SyncEnvClient",
    *env_server.__all__,
]

_LAZY = {
    "EnvClient": ".env_client",
    "GenericAction": ".generic_client",
    "GenericEnvClient": ".generic_client",
    "MCPClientBase": ".mcp_client",
    "MCPToolClient": ".mcp_client",
    "SyncEnvClient": ".sync_client",
    "AnthropicClient": ".llm_client",
    "LLMClient": ".llm_client",
    "LLMResponse": ".llm_client",
    "OpenAIClient": ".llm_client",
    "ToolCall": ".llm_client",
    "create_llm_client": ".llm_client",
}


def __getattr__(name):
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
