"""One way to use both majors of the `mcp` SDK.

| SDK | client                                   | versions of the protocol            |
|-----|------------------------------------------|-------------------------------------|
| 1.x | a transport and a `ClientSession` on it  | those that begin with `initialize`  |
| 2.x | `Client`, in one of three modes          | those, and 2026-07-28 without       |

Results are compared as the dictionaries that travel, so that the two spellings of fields in Python
do not matter.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from server_process import BINARY

VERSION_TEXT = metadata.version("mcp")
IS_V2 = VERSION_TEXT.startswith("2.")

if IS_V2:
    from mcp.shared.exceptions import MCPError as ProtocolError
else:
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.exceptions import McpError as ProtocolError

__all__ = ["IS_V2", "MODES", "PINNED", "VERSION_TEXT", "ProtocolError", "connect", "over_stdio", "plain"]

# The version of the protocol in which every call stands alone.
PINNED = "2026-07-28"
# How a client may begin a conversation that has a session.
MODES = ["auto", "legacy"] if IS_V2 else ["legacy"]


@asynccontextmanager
async def connect(url: str, mode: str = MODES[0]) -> AsyncIterator[Any]:
    """A client of the server at `url`; it has said hello."""
    if IS_V2:
        async with mcp.Client(f"{url}/mcp", mode=mode) as client:
            yield client
        return
    async with streamable_http_client(f"{url}/mcp") as (reader, writer, _):
        async with mcp.ClientSession(reader, writer) as session:
            await session.initialize()
            yield session


@asynccontextmanager
async def over_stdio(*arguments: str, mode: str = MODES[0]) -> AsyncIterator[Any]:
    """A client of `openenv mcp …`, which it starts and ends."""
    server = StdioServerParameters(command=BINARY, args=["mcp", *arguments], env=dict(os.environ))
    if IS_V2:
        async with mcp.Client(server, mode=mode) as client:
            yield client
        return
    async with stdio_client(server) as (reader, writer), mcp.ClientSession(reader, writer) as session:
        await session.initialize()
        yield session


def plain(model: Any) -> dict[str, Any]:
    """What came over the wire, without what was left out there."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
