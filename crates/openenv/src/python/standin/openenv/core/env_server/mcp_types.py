"""Tools as actions and observations, and JSON-RPC.

As in `types`, docstrings of models and descriptions of fields are published: they are data.
"""

import json
from enum import Enum
from typing import Any, Dict, List, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field

from .types import Action, BaseMessage, Observation

# A tool of one of these names would be mistaken for the environment's own call.
RESERVED_TOOL_NAMES = frozenset({"reset", "step", "state", "close"})

# --- JSON-RPC --------------------------------------------------------------------------------


class JsonRpcErrorCode(int, Enum):
    """
    Standard JSON-RPC 2.0 error codes.

    See: https://www.jsonrpc.org/specification#error_object
    """

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_ERROR = -32000


_DEFAULT_MESSAGES = {
    JsonRpcErrorCode.PARSE_ERROR: "Parse error",
    JsonRpcErrorCode.INVALID_REQUEST: "Invalid Request",
    JsonRpcErrorCode.METHOD_NOT_FOUND: "Method not found",
    JsonRpcErrorCode.INVALID_PARAMS: "Invalid params",
    JsonRpcErrorCode.INTERNAL_ERROR: "Internal error",
    JsonRpcErrorCode.SERVER_ERROR: "Server error",
}


class McpMethod(str, Enum):
    """Supported MCP method names."""

    TOOLS_LIST = "tools/list"
    TOOLS_CALL = "tools/call"


class JsonRpcError(BaseModel):
    """
    JSON-RPC 2.0 error object.

    See: https://www.jsonrpc.org/specification#error_object
    """

    model_config = ConfigDict(extra="forbid")

    code: int = Field(description="Error code indicating the error type")
    message: str = Field(description="Short description of the error")
    data: Optional[Any] = Field(None, description="Additional error information")

    @classmethod
    def from_code(cls, code: JsonRpcErrorCode, message: Optional[str] = None, data: Any = None):
        return cls(code=code.value, message=message or _DEFAULT_MESSAGES[code], data=data)


class JsonRpcRequest(BaseModel):
    """
    JSON-RPC 2.0 request object.

    See: https://www.jsonrpc.org/specification#request_object
    """

    model_config = ConfigDict(extra="forbid")

    jsonrpc: Literal["2.0"] = Field(description="JSON-RPC version, must be '2.0'")
    method: str = Field(description="Name of the method to be invoked")
    params: Dict[str, Any] = Field(
        default_factory=dict, description="Parameter values for the method"
    )
    id: Optional[Union[str, int]] = Field(
        None, description="Request identifier established by the client"
    )


class JsonRpcResponse(BaseModel):
    """
    JSON-RPC 2.0 response object.

    Per JSON-RPC 2.0 spec, a response has either 'result' or 'error', not both.
    This model excludes None values during serialization to comply with the spec.

    See: https://www.jsonrpc.org/specification#response_object
    """

    model_config = ConfigDict(extra="forbid")

    jsonrpc: Literal["2.0"] = Field("2.0", description="JSON-RPC version")
    result: Optional[Any] = Field(None, description="Result of the method invocation")
    error: Optional[JsonRpcError] = Field(
        None, description="Error object if method invocation failed"
    )
    id: Optional[Union[str, int]] = Field(None, description="Request identifier from the request")

    # Whatever options are given: one of the two members is always there, never both.
    def model_dump(self, **_options) -> Dict[str, Any]:
        if self.error is None:
            outcome = {"result": self.result}
        else:
            outcome = {"error": self.error.model_dump()}
        return {"jsonrpc": self.jsonrpc, "id": self.id, **outcome}

    def model_dump_json(self, **_options) -> str:
        return json.dumps(self.model_dump())

    @classmethod
    def success(cls, result: Any, request_id: Optional[Union[str, int]] = None):
        return cls(result=result, id=request_id)

    @classmethod
    def error_response(
        cls,
        code: JsonRpcErrorCode,
        message: Optional[str] = None,
        data: Any = None,
        request_id: Optional[Union[str, int]] = None,
    ):
        return cls(error=JsonRpcError.from_code(code, message, data), id=request_id)


# --- Tools -----------------------------------------------------------------------------------


class Tool(BaseModel):
    """
    Strongly typed MCP tool specification.

    Follows the MCP ToolSpec format for tool discovery.
    See: https://modelcontextprotocol.io/specification/2025-06-18/server/tools
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="Unique identifier for the tool")
    description: str = Field(description="Human-readable description of what the tool does")
    input_schema: Dict[str, Any] = Field(description="JSON Schema for the tool's input parameters")


class ToolErrorType(str, Enum):
    """Types of errors that can occur during tool execution."""

    EXECUTION_ERROR = "execution_error"
    INVALID_ARGS = "invalid_args"
    TRANSPORT_ERROR = "transport_error"
    TOOL_NOT_FOUND = "tool_not_found"
    TIMEOUT = "timeout"


class ToolError(BaseModel):
    """
    Structured error for tool execution failures.

    This is used for transport/framework errors, NOT for errors returned
    by the tool itself (those go in the result field).
    """

    model_config = ConfigDict(extra="forbid")

    error_type: ToolErrorType = Field(description="Category of the error")
    message: str = Field(description="Human-readable error message")


class ListToolsAction(Action):
    """
    Request list of available tools from the environment.

    This action triggers MCP's tools/list operation and returns
    all available tools with their schemas. Does NOT require reset()
    to be called first.
    """

    type: Literal["list_tools"] = Field("list_tools", description="Action type discriminator")


class CallToolAction(Action):
    """
    Call a specific tool via MCP.

    This action triggers MCP's tools/call operation with the
    specified tool name and arguments.
    """

    type: Literal["call_tool"] = Field("call_tool", description="Action type discriminator")
    tool_name: str = Field(description="Name of the tool to call")
    arguments: Dict[str, Any] = Field(
        default_factory=dict, description="Arguments to pass to the tool"
    )


class ListToolsObservation(Observation):
    """
    Response containing available tools.

    Returned when processing a ListToolsAction.
    """

    tools: List[Tool] = Field(description="List of available tools with their schemas")


class CallToolObservation(Observation):
    """
    Response from tool execution.

    Contains the tool's result or an error if the call failed.
    Tool-specific errors (from the tool itself) are included in the result.
    Transport/framework errors use the error field.
    """

    tool_name: str = Field(description="Name of the tool that was called")
    result: Any = Field(None, description="Tool-specific result (may include tool errors)")
    error: Optional[ToolError] = Field(None, description="Transport/framework error if call failed")


# --- WebSocket -------------------------------------------------------------------------------


class WSMCPMessage(BaseMessage):
    """
    WebSocket message for MCP JSON-RPC requests.

    Allows direct MCP access via WebSocket for production inference,
    bypassing the step() API.
    """

    type: Literal["mcp"] = Field("mcp", description="Message type")
    data: Dict[str, Any] = Field(description="JSON-RPC payload (method, params, id)")


class WSMCPResponse(BaseModel):
    """
    WebSocket response for MCP JSON-RPC.

    Contains the JSON-RPC response from the MCP server.
    """

    model_config = ConfigDict(extra="forbid")

    type: str = Field("mcp", description="Response type")
    data: Dict[str, Any] = Field(description="JSON-RPC response payload")
