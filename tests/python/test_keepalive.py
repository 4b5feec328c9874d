"""Pings are answered while a step runs, so patient clients keep their connection."""

import asyncio

import pytest
from generation import HAS_KEEPALIVE_SETTINGS, IS_ASYNC, generic
from openenv.core import GenericEnvClient


@pytest.fixture
def waiting(serve):
    return serve("benchmark", "--max-sessions", "4")


def test_raw_ping_is_answered_while_a_step_runs(waiting):
    from websockets.sync.client import connect

    with connect(waiting.ws_url) as socket:
        socket.send('{"type":"step","data":{"wait_seconds":3}}')
        assert socket.ping().wait(timeout=2), "no pong while the step was running"


@pytest.mark.skipif(not HAS_KEEPALIVE_SETTINGS, reason="this generation has no keepalive settings")
def test_short_keepalive_outlives_a_longer_step(waiting):
    settings = {"websocket_ping_interval_s": 0.2, "websocket_ping_timeout_s": 1.0}
    with generic(waiting.url, **settings) as client:
        client.reset()
        assert client.step({"wait_seconds": 2.5}).done is False
        assert client.state()["step_count"] == 1


@pytest.mark.skipif(not HAS_KEEPALIVE_SETTINGS, reason="this generation has no keepalive settings")
@pytest.mark.skipif(not IS_ASYNC, reason="this generation is blocking only")
def test_keepalive_can_be_switched_off(waiting):
    async def scenario():
        async with GenericEnvClient(
            base_url=waiting.url, websocket_ping_interval_s=None, websocket_ping_timeout_s=None
        ) as client:
            await client.reset()
            return await client.step({"wait_seconds": 0.1})

    assert asyncio.run(scenario()).done is False
