"""Calls that take their time: how far they are, and that they can be given up."""

from typing import Any

import anyio
import pytest
from sdk import IS_V2, MODES, PINNED, connect, over_stdio, plain

pytestmark = pytest.mark.anyio

WAYS = [(transport, mode) for transport in ("http", "stdio") for mode in [*MODES, *([PINNED] if IS_V2 else [])]]


@pytest.fixture(params=WAYS, ids=["-".join(way) for way in WAYS])
def connection(request, documents):
    transport, mode = request.param
    if transport == "http":
        return connect(documents.url, mode)
    return over_stdio("documents", mode=mode)


async def test_an_import_reports_how_far_it_is(connection):
    reports = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        reports.append((done, total, message))

    notes = [{"title": title, "text": "A note."} for title in ("One", "Two", "Three")]
    async with connection as client:
        result = plain(await client.call_tool("import", {"documents": notes}, progress_callback=hear))
    assert result["structuredContent"] == {"ids": ["one", "two", "three"], "created": 3}
    assert reports == [(1, 3, "read `One`"), (2, 3, "read `Two`"), (3, 3, "read `Three`")]


@pytest.mark.skipif(not IS_V2, reason="SDK 1.x does not tell the server that a call was given up")
async def test_a_call_that_is_given_up_leaves_everything_as_it_was(connection):
    # Much to read, so that there is time to give up in between.
    words = " ".join(f"{number:x}" for number in range(900))[:3500]
    notes = [{"title": f"Note {number}", "text": words} for number in range(60)]

    async with connection as client:
        before = await total(client)
        with anyio.CancelScope() as patience:

            async def give_up(*_: Any) -> None:
                patience.cancel()

            await client.call_tool("import", {"documents": notes}, progress_callback=give_up)
        assert patience.cancelled_caught
        assert await total(client) == before
        assert plain(await client.call_tool("read", {"id": "note-1"}))["isError"] is True


async def total(client: Any) -> int:
    return plain(await client.call_tool("list", {"limit": 1}))["structuredContent"]["total"]
