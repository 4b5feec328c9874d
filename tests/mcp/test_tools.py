"""What a client sees of tools and gets from them, over HTTP and over standard input and output."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import jsonschema
import pytest
from sdk import MODES, PINNED, IS_V2, ProtocolError, connect, over_stdio, plain

pytestmark = pytest.mark.anyio

WAYS = [("http", mode) for mode in MODES] + [("stdio", mode) for mode in MODES]
if IS_V2:
    WAYS += [("http", PINNED), ("stdio", PINNED)]


@pytest.fixture(params=WAYS, ids=["-".join(way) for way in WAYS])
def reach(request, documents, echo):
    """Connects to an environment in one of the ways that there are."""
    transport, mode = request.param
    servers = {"documents": documents, "echo": echo}

    def connection(environment: str) -> AbstractAsyncContextManager[Any]:
        if transport == "http":
            return connect(servers[environment].url, mode)
        return over_stdio(environment, "--mode", "simulation", mode=mode)

    return connection


async def tools_of(client: Any) -> dict[str, dict[str, Any]]:
    listed = await client.list_tools()
    return {tool.name: plain(tool) for tool in listed.tools}


async def test_tools_are_listed_with_schemas_and_hints(reach):
    async with reach("documents") as client:
        tools = await tools_of(client)
    assert list(tools) == [
        "search",
        "read",
        "list",
        "write",
        "append",
        "delete",
        "import",
        "question",
        "submit_answer",
    ]
    search = tools["search"]
    assert search["description"].startswith("Finds documents by words")
    assert search["inputSchema"]["required"] == ["query"]
    assert search["inputSchema"]["properties"]["limit"] == {
        "default": 5,
        "description": "Most hits to return",
        "maximum": 20,
        "minimum": 1,
        "type": "integer",
    }
    assert search["outputSchema"]["required"] == ["hits", "total"]
    assert search["annotations"] == {"readOnlyHint": True}
    assert tools["write"]["annotations"] == {"idempotentHint": True}
    # What has no title and no hints has none of either; clients show the name then.
    assert "title" not in search
    assert "annotations" not in tools["delete"]
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"


async def test_an_object_comes_as_structure_and_as_text(reach):
    async with reach("documents") as client:
        # The client validates the structure against the schema that was listed.
        await client.list_tools()
        result = plain(await client.call_tool("search", {"query": "owl", "limit": 1}))
    assert result["isError"] is False
    assert [hit["id"] for hit in result["structuredContent"]["hits"]] == ["barn-owl"]
    assert result["content"][0]["type"] == "text"
    assert result["content"][0]["text"].startswith('{"hits":[{"id":"barn-owl"')


async def test_a_plain_value_comes_wrapped(reach):
    async with reach("echo") as client:
        await client.list_tools()
        result = plain(await client.call_tool("echo_message", {"message": "naïve 🦀"}))
    assert result["content"][0]["text"] == "naïve 🦀"
    assert result["structuredContent"] == {"result": "naïve 🦀"}
    assert result["isError"] is False


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"id": "barn-ow"}, "did you mean `barn-owl`?"),
        ({"id": 7}, "id: Input should be a valid string"),
        ({}, "id: Field required"),
        ({"id": "octopus", "colour": "red"}, "colour: "),
    ],
    ids=["unknown", "type", "missing", "surplus"],
)
async def test_failures_are_results_that_an_agent_can_read(reach, arguments, complaint):
    async with reach("documents") as client:
        result = plain(await client.call_tool("read", arguments))
        assert result["isError"] is True
        assert complaint in result["content"][0]["text"]
        # The conversation goes on.
        assert plain(await client.call_tool("read", {"id": "octopus"}))["isError"] is False


async def test_an_unknown_tool_is_an_error_of_the_protocol(reach):
    async with reach("documents") as client:
        with pytest.raises(ProtocolError, match="Unknown tool: 'sing'") as refusal:
            await client.call_tool("sing", {})
        assert refusal.value.error.code == -32602
        assert plain(await client.call_tool("read", {"id": "octopus"}))["isError"] is False


async def test_a_conversation_begins_with_who_is_there_and_can_be_pinged(documents):
    async with connect(documents.url, "legacy") as client:
        if IS_V2:
            about, version, instructions = client.server_info, client.protocol_version, client.instructions
        else:
            hello = await client.initialize()
            about, version, instructions = hello.serverInfo, hello.protocolVersion, hello.instructions
        await client.send_ping()
    assert about.name == "documents"
    assert version == "2025-11-25"
    assert instructions.startswith("Documents to search")


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize(
    ("mode", "present", "absent"),
    [("simulation", "submit_answer", "export"), ("production", "export", "submit_answer")],
)
async def test_each_mode_has_its_tools(serve, transport, mode, present, absent):
    if transport == "http":
        connection = connect(serve("documents", "--mode", mode).url)
    else:
        connection = over_stdio("documents", "--mode", mode)
    async with connection as client:
        tools = await tools_of(client)
        assert present in tools
        assert absent not in tools
        with pytest.raises(ProtocolError, match=absent):
            await client.call_tool(absent, {})
