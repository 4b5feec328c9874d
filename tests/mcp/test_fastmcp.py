"""The client of fastmcp: values instead of messages."""

import pytest
from sdk import ProtocolError
from server_process import BINARY

fastmcp = pytest.importorskip("fastmcp", reason="fastmcp comes with SDK 1.x")
from fastmcp.client.transports import StdioTransport  # noqa: E402
from fastmcp.exceptions import ToolError  # noqa: E402

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["http", "stdio"])
def reach(request, documents, echo):
    servers = {"documents": documents, "echo": echo}

    def client(environment: str) -> fastmcp.Client:
        if request.param == "http":
            return fastmcp.Client(f"{servers[environment].url}/mcp")
        return fastmcp.Client(StdioTransport(BINARY, ["mcp", environment], keep_alive=False))

    return client


async def test_data_is_what_the_tool_returned(reach):
    async with reach("echo") as client:
        assert await client.ping()
        assert (await client.call_tool("echo_message", {"message": "Hi!"})).data == "Hi!"
        measured = (await client.call_tool("echo_with_length", {"message": "Hi!"})).data
        assert (measured.message, measured.length) == ("Hi!", 3)


async def test_nested_data_follows_the_schema(reach):
    async with reach("documents") as client:
        assert "search" in [tool.name for tool in await client.list_tools()]
        found = await client.call_tool("search", {"query": "owl", "limit": 1})
    assert found.data.total == 1
    assert found.data.hits[0].id == "barn-owl"
    assert found.structured_content["hits"][0]["id"] == "barn-owl"


async def test_a_failure_is_raised_or_returned(reach):
    async with reach("documents") as client:
        with pytest.raises(ToolError, match="there is no document `nothing`"):
            await client.call_tool("read", {"id": "nothing"})
        result = await client.call_tool("read", {"id": "nothing"}, raise_on_error=False)
        assert result.is_error
        with pytest.raises(ProtocolError, match="Unknown tool: 'sing'"):
            await client.call_tool("sing", {})


async def test_progress(reach):
    heard = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with reach("documents") as client:
        notes = [{"title": "One", "text": "A note."}, {"title": "Two", "text": "A note."}]
        result = await client.call_tool("import", {"documents": notes}, progress_handler=hear)
    assert result.data.ids == ["one", "two"]
    assert heard == [(1, 2, "read `One`"), (2, 2, "read `Two`")]


async def test_one_client_has_one_session(documents, active):
    client = fastmcp.Client(f"{documents.url}/mcp")
    before = active(documents)
    async with client:
        await client.call_tool("write", {"title": "Kept", "text": "A note."})
        # Entered again, it is the same connection.
        async with client:
            assert (await client.call_tool("read", {"id": "kept"})).data.title == "Kept"
        assert active(documents) == before + 1
    assert active(documents) == before


async def test_a_configuration_of_several_servers(documents, echo):
    servers = {"library": {"url": f"{documents.url}/mcp"}, "parrot": {"command": BINARY, "args": ["mcp", "echo"]}}
    async with fastmcp.Client({"mcpServers": servers}) as client:
        names = {tool.name for tool in await client.list_tools()}
        assert {"library_search", "parrot_echo_message"} <= names
        assert (await client.call_tool("parrot_echo_message", {"message": "Hi!"})).data == "Hi!"
