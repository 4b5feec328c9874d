"""An MCP session is a session of the environment: its own state, and one place of the capacity."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from sdk import MODES, ProtocolError, connect, plain

pytestmark = pytest.mark.anyio

SESSIONS = 50


@pytest.fixture(params=MODES)
def mode(request) -> str:
    return request.param


async def write(client: Any, title: str) -> None:
    result = plain(await client.call_tool("write", {"title": title, "text": "A note."}))
    assert result["isError"] is False, result


async def total(client: Any) -> int:
    return plain(await client.call_tool("list", {"limit": 1}))["structuredContent"]["total"]


async def test_a_session_remembers_and_keeps_to_itself(documents, mode):
    async with connect(documents.url, mode) as one, connect(documents.url, mode) as other:
        before = await total(other)
        await write(one, "Mine")
        await write(one, "Mine too")
        await write(other, "Theirs")
        assert await total(one) == before + 2
        assert await total(other) == before + 1
        mine = plain(await one.call_tool("read", {"id": "theirs"}))
        assert mine["isError"] is True


async def test_closing_frees_the_slot_at_once(serve, active, mode):
    server = serve("documents", "--max-sessions", "1")
    for _ in range(5):
        async with connect(server.url, mode) as client:
            await write(client, "A")
            assert active(server) == 1
        assert active(server) == 0


async def test_a_full_server_says_so(serve, active, mode):
    server = serve("documents", "--max-sessions", "1")
    async with connect(server.url, mode) as first:
        with pytest.raises(ProtocolError, match="Server at capacity: 1/1 sessions active"):
            with unwrapped():
                async with connect(server.url, mode):
                    pytest.fail("there was room")
        await write(first, "Still here")
    assert active(server) == 0


async def test_many_sessions_at_once(serve, active, mode):
    server = serve("documents", "--max-sessions", str(SESSIONS))
    counts: list[int] = []
    everyone_is_open = anyio.Event()

    async def one(number: int) -> None:
        nonlocal opened
        async with connect(server.url, mode) as client:
            for index in range(number % 5):
                await write(client, f"Note {number} {index}")
            opened += 1
            if opened == SESSIONS:
                assert active(server) == SESSIONS
                everyone_is_open.set()
            await everyone_is_open.wait()
            counts.append(await total(client) - number % 5)

    opened = 0
    async with anyio.create_task_group() as group:
        for number in range(SESSIONS):
            group.start_soon(one, number)
    assert len(counts) == SESSIONS
    assert len(set(counts)) == 1, "a session saw what another wrote"
    assert active(server) == 0


KILLED = """
import anyio, sys
sys.path[:0] = sys.argv[2:]
from sdk import connect

async def main():
    async with connect(sys.argv[1]) as client:
        await client.call_tool("list", {})
        print("connected", flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


async def test_a_killed_client_frees_its_slot_after_the_idle_time(serve, active):
    server = serve("documents", "--max-sessions", "1", "--session-timeout", "1")
    here = Path(__file__).parent
    arguments = [sys.executable, "-c", KILLED, server.url, str(here), str(here.parent / "python")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "connected\n"
        # It listens, so it is not idle, however long it says nothing.
        time.sleep(1.5)
        assert active(server) == 1
        process.kill()
    deadline = time.monotonic() + 10
    while active(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    async with connect(server.url) as client:
        await write(client, "Next")


class unwrapped:
    """Raises what is alone in its groups: a failed connection comes wrapped by the tasks it had."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: Any, error: BaseException | None, _trace: Any) -> None:
        inner = error
        while isinstance(inner, BaseExceptionGroup) and len(inner.exceptions) == 1:
            inner = inner.exceptions[0]
        if inner is not error:
            raise inner
