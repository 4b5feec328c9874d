"""Calls that take their time: how far they are, and that they can be given up."""

from typing import Any

import anyio
import pytest
from sdk import IS_V2, MODES, PINNED, connect, over_stdio, plain

pytestmark = pytest.mark.anyio

SESSIONS = [(transport, mode) for transport in ("http", "stdio") for mode in MODES]
if IS_V2:
    # Over streams there is one session in any version of the protocol.
    SESSIONS.append(("stdio", PINNED))
WAYS = [*SESSIONS, ("http", PINNED)] if IS_V2 else SESSIONS


@pytest.fixture
def connection(request, documents):
    transport, mode = request.param
    if transport == "http":
        return connect(documents.url, mode)
    return over_stdio("documents", mode=mode)


def over(ways: list[tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("connection", ways, ids=["-".join(way) for way in ways], indirect=True)


@over(WAYS)
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
@over(SESSIONS)
async def test_a_call_that_is_given_up_leaves_everything_as_it_was(connection):
    async with connection as client:
        for attempt in range(ATTEMPTS):
            await give_up_an_import(client, f"attempt {attempt}")
            read = plain(await client.call_tool("read", {"id": "note-0"}))
            if f"attempt {attempt}" not in read["content"][0]["text"]:
                return
    pytest.fail(f"{ATTEMPTS} calls ran to their end although they were given up")


# On a busy machine an import may be over before the client has said that it gives up.
ATTEMPTS = 10


async def give_up_an_import(client: Any, mark: str) -> None:
    # Much to read, so that there is time in between.
    words = " ".join(f"{number:x}" for number in range(900))[:3500]
    notes = [{"title": f"Note {number}", "text": f"{mark}\n{words}"} for number in range(60)]
    with anyio.CancelScope() as patience:

        async def give_up(*_: Any) -> None:
            patience.cancel()

        await client.call_tool("import", {"documents": notes}, progress_callback=give_up)
    assert patience.cancelled_caught
