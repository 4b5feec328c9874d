"""An environment whose tools are those of a FastMCP server.

`fastmcp` takes longer to import than all else here, so it is loaded when an environment is made:
by then its author has loaded it. For the same reason `asyncio` is loaded by those who wait.
"""

import inspect
from abc import abstractmethod
from collections import defaultdict
from contextlib import asynccontextmanager
from typing import Any, Callable, Dict, Optional

from ..utils import run_async_safely
from .interfaces import Environment
from .mcp_types import (
    RESERVED_TOOL_NAMES,
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
    ToolError,
    ToolErrorType,
)
from .types import Action, Observation

# Seconds, for a call that brings no limit of its own.
MCP_TOOL_CALL_TIMEOUT = 30.0

VALID_MODES = {"production", "simulation"}

_JSON_TYPES = {
    int: "integer",
    "int": "integer",
    float: "number",
    "float": "number",
    bool: "boolean",
    "bool": "boolean",
}


def get_server_tools(mcp_server: Any) -> Dict[str, Any]:
    """The tools of a FastMCP server by name, of its second generation or its third."""
    if hasattr(mcp_server, "get_tools"):
        tools = run_async_safely(mcp_server.get_tools())
        if isinstance(tools, dict):
            return tools
    if hasattr(mcp_server, "list_tools"):
        tools = run_async_safely(mcp_server.list_tools())
        return {tool.name: tool for tool in tools}
    return {}


class MCPEnvironment(Environment):
    """Answers `ListToolsAction` and `CallToolAction`; all else goes to `_step_impl`."""

    def __init__(self, mcp_server: Any, transform: Optional[Any] = None) -> None:
        from fastmcp import Client

        super().__init__(transform=transform)
        self._validate_tool_names(mcp_server)
        self.mcp_server = mcp_server
        self.mcp_client = Client(mcp_server)
        # Functions and schemas by name, then by mode. `None` is every mode; such a tool is also
        # one of the server's, and has its schema there.
        self._mode_tools = defaultdict(dict)
        self._mode_tool_schemas = defaultdict(dict)

    @property
    def supports_code_mode(self) -> bool:
        return True

    @abstractmethod
    def _step_impl(
        self, action: Action, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> Observation:
        """A step that is not about tools."""

    def step(self, action: Action, timeout_s: Optional[float] = None, **kwargs: Any) -> Observation:
        if isinstance(action, ListToolsAction):
            return self._handle_list_tools()
        if isinstance(action, CallToolAction):
            return self._handle_call_tool(action, timeout_s=timeout_s)
        return self._step_impl(action, timeout_s=timeout_s, **kwargs)

    async def step_async(
        self, action: Action, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> Observation:
        if isinstance(action, ListToolsAction):
            return await self._async_handle_list_tools()
        if isinstance(action, CallToolAction):
            return await self._async_handle_call_tool(action, timeout_s=timeout_s)

        import asyncio

        return await asyncio.get_running_loop().run_in_executor(
            None, lambda: self._step_impl(action, timeout_s=timeout_s, **kwargs)
        )

    def close(self) -> None:
        self.mcp_client = None
        self.mcp_server = None

    # --- The server's tools ------------------------------------------------------------------

    def _require_mcp_client(self) -> Any:
        if self.mcp_client is None:
            raise RuntimeError("MCP client is not available; environment is closed")
        return self.mcp_client

    def _require_mcp_server(self) -> Any:
        if self.mcp_server is None:
            raise RuntimeError("MCP server is not available; environment is closed")
        return self.mcp_server

    @asynccontextmanager
    async def mcp_session(self):
        """The connected client. To enter again while inside is cheap: it stays connected."""
        client = self._require_mcp_client()
        async with client:
            yield client

    def _get_server_tools(self, mcp_server: Any) -> Dict[str, Any]:
        return get_server_tools(mcp_server)

    def _validate_tool_names(self, mcp_server: Any) -> None:
        taken = RESERVED_TOOL_NAMES.intersection(self._get_server_tools(mcp_server))
        if taken:
            raise ValueError(
                f"MCP tools cannot use reserved names: {sorted(taken)}. "
                f"Reserved names are: {sorted(RESERVED_TOOL_NAMES)}"
            )

    # --- Tools of one mode -------------------------------------------------------------------

    def tool(self, mode: Optional[str] = None) -> Callable:
        """Declares a tool for one mode, or for both."""
        if mode is not None and mode not in VALID_MODES:
            raise ValueError(
                f"Invalid mode '{mode}'. Mode must be 'production', 'simulation', or None."
            )

        def declare(function: Callable) -> Callable:
            name = function.__name__
            if name in RESERVED_TOOL_NAMES:
                raise ValueError(
                    f"Tool name '{name}' is reserved and cannot be used. "
                    f"Reserved names are: {sorted(RESERVED_TOOL_NAMES)}"
                )
            if mode is None:
                declared = self._require_mcp_server().tool()(function)
                self._mode_tools[name][None] = function
                return declared
            self._mode_tools[name][mode] = function
            self._mode_tool_schemas[name][mode] = {
                "name": name,
                "description": function.__doc__ or "",
                "input_schema": _input_schema(function),
            }
            return function

        return declare

    def _for_mode(self, by_mode: Dict[Optional[str], Any]) -> Any:
        """What holds in every mode, else what holds in the present one, else `None`."""
        if None in by_mode:
            return by_mode[None]
        return by_mode.get(getattr(self, "_mode", None))

    # --- To list and to call -----------------------------------------------------------------

    def _handle_list_tools(self) -> ListToolsObservation:
        return run_async_safely(self._async_handle_list_tools())

    def _handle_call_tool(
        self, action: CallToolAction, timeout_s: Optional[float] = None
    ) -> CallToolObservation:
        return run_async_safely(self._async_handle_call_tool(action, timeout_s=timeout_s))

    async def _async_list_tools(self) -> list:
        async with self.mcp_session() as client:
            return await client.list_tools()

    async def _async_call_tool(self, tool_name: str, arguments: dict) -> Any:
        async with self.mcp_session() as client:
            return await client.call_tool(tool_name, arguments)

    async def _async_handle_list_tools(self) -> ListToolsObservation:
        try:
            tools = [
                Tool(
                    name=tool.name,
                    description=tool.description or "",
                    input_schema=getattr(tool, "inputSchema", {}),
                )
                for tool in await self._async_list_tools()
                if tool.name not in self._mode_tool_schemas
            ]
            schemas = map(self._for_mode, self._mode_tool_schemas.values())
            tools += [Tool(**schema) for schema in schemas if schema is not None]
        except Exception as error:
            failed = {"error": str(error), "error_type": "list_tools_failed"}
            return ListToolsObservation(tools=[], metadata=failed)
        return ListToolsObservation(tools=tools)

    async def _async_handle_call_tool(
        self, action: CallToolAction, timeout_s: Optional[float] = None
    ) -> CallToolObservation:
        if action.tool_name in self._mode_tools:
            return await self._call_mode_tool(action)

        import asyncio

        name = action.tool_name
        limit = MCP_TOOL_CALL_TIMEOUT if timeout_s is None else timeout_s
        try:
            call = self._async_call_tool(name, action.arguments)
            result = await asyncio.wait_for(call, limit)
        except asyncio.TimeoutError:
            message = f"Tool '{name}' timed out after {limit} seconds"
            return _failed(name, ToolErrorType.TIMEOUT, message)
        except Exception as error:
            return _failed(name, _kind(str(error)), str(error))
        return CallToolObservation(tool_name=name, result=result)

    async def _call_mode_tool(self, action: CallToolAction) -> CallToolObservation:
        """Straight from the function, in the form in which a FastMCP client has results."""
        from fastmcp.client.client import CallToolResult
        from mcp.types import TextContent

        name = action.tool_name
        function = self._for_mode(self._mode_tools[name])
        if function is None:
            mode = getattr(self, "_mode", None)
            message = f"Tool '{name}' not available in {mode} mode"
            return _failed(name, ToolErrorType.TOOL_NOT_FOUND, message)
        try:
            value = function(**action.arguments)
            if inspect.iscoroutinefunction(function):
                value = await value
            return CallToolObservation(
                tool_name=name,
                result=CallToolResult(
                    content=[TextContent(type="text", text=str(value))],
                    structured_content={"result": value},
                    meta=None,
                    data=value,
                    is_error=False,
                ),
            )
        except Exception as error:
            return _failed(name, ToolErrorType.EXECUTION_ERROR, str(error))

    # --- Tools as functions ------------------------------------------------------------------

    def get_callables(self) -> Dict[str, Callable]:
        """The functions behind the tools of the present mode, by name."""
        functions = {
            name: tool.fn
            for name, tool in self._get_server_tools(self.mcp_server).items()
            if callable(getattr(tool, "fn", None))
        }
        for name, by_mode in self._mode_tools.items():
            function = self._for_mode(by_mode)
            # What holds in every mode is the server's tool already.
            if function is not None and not (None in by_mode and name in functions):
                functions[name] = function
        return functions

    def execute_code(self, code: str) -> Observation:
        """Runs code that calls tools as functions; its variable `result` is the result."""
        functions = self.get_callables()
        variables: Dict[str, Any] = {}
        try:
            exec(code, functions, variables)
            outcome = {"result": variables.get("result")}
        except SyntaxError as error:
            outcome = {"error": f"Syntax error: {error}"}
        except Exception as error:
            outcome = {"error": str(error)}
        return Observation(done=False, reward=0.0, metadata=outcome)


def _input_schema(function: Callable) -> Dict[str, Any]:
    parameters = inspect.signature(function).parameters
    return {
        "type": "object",
        "properties": {
            name: {"type": _json_type(parameter.annotation)}
            for name, parameter in parameters.items()
        },
        "required": [
            name
            for name, parameter in parameters.items()
            if parameter.default is inspect.Parameter.empty
        ],
    }


def _json_type(annotation: Any) -> str:
    try:
        return _JSON_TYPES.get(annotation, "string")
    except TypeError:  # not every annotation can be a key
        return "string"


def _kind(message: str) -> ToolErrorType:
    """FastMCP's errors differ by their text alone, so this mistakes a tool's own for them."""
    text = message.lower()
    if "not found" in text or "unknown tool" in text:
        return ToolErrorType.TOOL_NOT_FOUND
    if "invalid" in text or "argument" in text:
        return ToolErrorType.INVALID_ARGS
    return ToolErrorType.EXECUTION_ERROR


def _failed(name: str, kind: ToolErrorType, message: str) -> CallToolObservation:
    error = ToolError(error_type=kind, message=message)
    return CallToolObservation(tool_name=name, result=None, error=error)
