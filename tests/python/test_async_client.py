"""Use with `await`."""

import asyncio

import pytest
from generation import IS_ASYNC, EchoAction, EchoClient
from openenv.core import GenericEnvClient

pytestmark = pytest.mark.skipif(not IS_ASYNC, reason="this generation is blocking only")


def test_reset_step_and_state(server):
    async def scenario():
        async with GenericEnvClient(base_url=server.url) as client:
            first = await client.reset(seed=1, episode_id="async-episode")
            second = await client.step({"message": "hello"})
            return first, second, await client.state()

    first, second, state = asyncio.run(scenario())
    assert first.observation["echoed_message"] == "Echo environment ready!"
    assert second.observation["echoed_message"] == "hello"
    assert second.reward == pytest.approx(0.5)
    assert state["episode_id"] == "async-episode"
    assert state["step_count"] == 1


def test_typed_client(server):
    async def scenario():
        async with EchoClient(base_url=server.url) as client:
            await client.reset()
            result = await client.step(EchoAction(message="typed"))
            return result, await client.state()

    result, state = asyncio.run(scenario())
    assert result.observation.message_length == 5
    assert state.step_count == 1


def test_reconnect_after_close_gives_a_new_session(server):
    async def scenario():
        client = GenericEnvClient(base_url=server.url)
        await client.connect()
        await client.reset()
        await client.step({"message": "a"})
        await client.close()
        state = await client.state()
        result = await client.step({"message": "b"})
        await client.close()
        return state, result

    state, result = asyncio.run(scenario())
    assert state["step_count"] == 0
    assert result.observation["echoed_message"] == "b"


def test_connecting_to_nothing_is_a_connection_error(serve):
    gone = serve("echo")
    gone.stop()

    async def scenario():
        await GenericEnvClient(base_url=gone.url, connect_timeout_s=2).connect()

    with pytest.raises(ConnectionError):
        asyncio.run(scenario())
