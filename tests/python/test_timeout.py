"""A client that gives up on a step can go on at once, even on a server with one slot."""

import asyncio
import time

import pytest
from generation import DROPS_SOCKET_AFTER_TIMEOUT, IS_ASYNC, generic
from openenv.core import GenericEnvClient

STEP_SECONDS = 10.0
PATIENCE_SECONDS = 0.5
PROMPT_SECONDS = 4.0
HELD_SLOT = "the reference holds the slot until the abandoned step ends"


@pytest.fixture
def one_slot(serve):
    return serve("benchmark", "--max-sessions", "1")


def test_a_step_takes_the_time_it_says(one_slot):
    with generic(one_slot.url) as client:
        client.reset()
        begin = time.monotonic()
        result = client.step({"wait_seconds": 0.3})
        elapsed = time.monotonic() - begin
    assert elapsed >= 0.3
    assert result.observation["waited_seconds"] == pytest.approx(0.3, abs=0.2)


@pytest.mark.improvement(HELD_SLOT)
def test_next_call_after_a_timeout(one_slot):
    client = generic(one_slot.url, message_timeout_s=PATIENCE_SECONDS)
    client.connect()
    client.reset()
    with pytest.raises(TimeoutError):
        client.step({"wait_seconds": STEP_SECONDS})
    begin = time.monotonic()
    if not DROPS_SOCKET_AFTER_TIMEOUT:
        # Without this, older generations take the late reply for that of the next call.
        client.disconnect()
    client.reset()
    assert time.monotonic() - begin < PROMPT_SECONDS
    assert client.state()["step_count"] == 0
    client.close()


@pytest.mark.improvement(HELD_SLOT)
def test_another_client_after_a_timeout(one_slot):
    client = generic(one_slot.url, message_timeout_s=PATIENCE_SECONDS)
    client.connect()
    with pytest.raises(TimeoutError):
        client.step({"wait_seconds": STEP_SECONDS})
    client.close()
    begin = time.monotonic()
    with generic(one_slot.url) as other:
        other.reset()
    assert time.monotonic() - begin < PROMPT_SECONDS


@pytest.mark.skipif(not IS_ASYNC, reason="this generation is blocking only")
@pytest.mark.skipif(not DROPS_SOCKET_AFTER_TIMEOUT, reason="this generation keeps the socket")
@pytest.mark.improvement(HELD_SLOT)
def test_next_call_after_a_cancelled_step(one_slot):
    async def scenario() -> float:
        async with GenericEnvClient(base_url=one_slot.url) as client:
            await client.reset()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.step({"wait_seconds": STEP_SECONDS}), PATIENCE_SECONDS)
            begin = time.monotonic()
            await client.reset()
            return time.monotonic() - begin

    assert asyncio.run(scenario()) < PROMPT_SECONDS
