"""The version of the protocol without sessions, which SDK 2.x speaks if it is asked to."""

import pytest
from sdk import IS_V2, PINNED, connect, over_stdio, plain

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not IS_V2, reason="SDK 1.x knows the versions with sessions only"),
]

NOTE = {"title": "Lost", "text": "A note."}


async def test_each_call_has_an_environment_of_its_own(serve, active):
    server = serve("documents", "--max-sessions", "1")
    async with connect(server.url, PINNED) as client:
        assert client.protocol_version == PINNED
        assert plain(await client.call_tool("write", NOTE))["structuredContent"]["created"] is True
        assert plain(await client.call_tool("read", {"id": "lost"}))["isError"] is True
        # Between the calls it holds nothing, and another client finds room.
        assert active(server) == 0
        async with connect(server.url, "legacy") as other:
            await other.call_tool("write", NOTE)
            assert plain(await client.call_tool("search", {"query": "owl"}))["isError"] is False


async def test_a_client_that_may_choose_is_led_to_a_session(documents):
    async with connect(documents.url, "auto") as client:
        assert client.protocol_version < PINNED
        await client.call_tool("write", NOTE)
        assert plain(await client.call_tool("read", {"id": "lost"}))["isError"] is False


async def test_tools_without_memory_need_no_session(echo, active):
    before = active(echo)
    async with connect(echo.url, "auto") as client:
        assert client.protocol_version == PINNED
        result = plain(await client.call_tool("echo_with_length", {"message": "abc"}))
        assert result["structuredContent"] == {"message": "abc", "length": 3}
        assert active(echo) == before


async def test_over_stdio_there_is_one_session_in_any_version():
    async with over_stdio("documents", mode=PINNED) as client:
        assert client.protocol_version == PINNED
        await client.call_tool("write", NOTE)
        assert plain(await client.call_tool("read", {"id": "lost"}))["isError"] is False
