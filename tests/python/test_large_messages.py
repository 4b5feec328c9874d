"""Messages far beyond what a step usually carries."""

import pytest
from generation import HAS_MESSAGE_SIZE_SETTING, generic

MEGABYTE = 1_000_000


def _round_trip(server, size: int, **settings) -> None:
    # Not one repeated character: compression and buffer mistakes would go unnoticed.
    message = "".join(f"{number:08x}" for number in range(size // 8))
    with generic(server.url, **settings) as client:
        client.reset()
        observation = client.step({"message": message}).observation
    assert observation["message_length"] == len(message)
    assert observation["echoed_message"] == message


def test_one_megabyte(server):
    _round_trip(server, MEGABYTE)


@pytest.mark.skipif(not HAS_MESSAGE_SIZE_SETTING, reason="this generation reads 1 MiB at most")
def test_fifteen_megabytes(server):
    _round_trip(server, 15 * MEGABYTE)


@pytest.mark.skipif(not HAS_MESSAGE_SIZE_SETTING, reason="this generation reads 1 MiB at most")
@pytest.mark.improvement("the reference reads 16 MiB at most")
def test_twenty_megabytes(server):
    _round_trip(server, 20 * MEGABYTE)


@pytest.mark.skipif(not HAS_MESSAGE_SIZE_SETTING, reason="this generation reads 1 MiB at most")
def test_reply_beyond_the_limit_of_the_client_costs_only_its_session(server):
    # `sent` first: it is the client that refuses, the server took the message.
    with pytest.raises(Exception, match="^sent 1009"):
        _round_trip(server, 2 * MEGABYTE, max_message_size_mb=1)
    with generic(server.url) as client:
        assert client.reset().done is False
