"""Every client has a session of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from generation import IS_ASYNC, generic
from openenv.core import GenericEnvClient

CLIENTS = 32
STEPS = 20


def test_two_clients_do_not_share_state(server):
    with generic(server.url) as one, generic(server.url) as other:
        one.reset(episode_id="one")
        other.reset(episode_id="other")
        for _ in range(3):
            one.step({"message": "a"})
        other.step({"message": "b"})
        assert one.state()["step_count"] == 3
        assert other.state()["step_count"] == 1
        assert one.state()["episode_id"] == "one"
        assert other.state()["episode_id"] == "other"


def test_many_clients_at_once(server):
    counts = asyncio.run(_all_async(server.url)) if IS_ASYNC else _all_threads(server.url)
    assert counts == [STEPS] * CLIENTS


async def _all_async(url: str) -> list[int]:
    everyone_is_open = asyncio.Barrier(CLIENTS)

    async def one(number: int) -> int:
        async with GenericEnvClient(base_url=url) as client:
            await client.reset()
            await everyone_is_open.wait()
            for index in range(STEPS):
                message = f"{number}/{index}"
                result = await client.step({"message": message})
                assert result.observation["echoed_message"] == message
            return (await client.state())["step_count"]

    return await asyncio.gather(*(one(number) for number in range(CLIENTS)))


def _all_threads(url: str) -> list[int]:
    def one(number: int) -> int:
        with generic(url) as client:
            client.reset()
            for index in range(STEPS):
                message = f"{number}/{index}"
                assert client.step({"message": message}).observation["echoed_message"] == message
            return client.state()["step_count"]

    with ThreadPoolExecutor(CLIENTS) as threads:
        return list(threads.map(one, range(CLIENTS)))
