"""A full server says so, and a closed session frees its slot at once."""

import pytest
import requests
from generation import READS_ERROR_AFTER_FAILED_SEND, generic
from server_process import IS_REFERENCE
from websockets.exceptions import ConnectionClosed


@pytest.fixture
def small(serve):
    return serve("echo", "--max-sessions", "1")


# Against the reference, older generations find a closed socket more often than the reason.
SEES_REASON = RuntimeError if READS_ERROR_AFTER_FAILED_SEND or not IS_REFERENCE else (RuntimeError, ConnectionClosed)


def test_first_call_of_the_client_too_many_is_refused(small):
    with generic(small.url) as first:
        first.reset()
        for _ in range(5):
            surplus = generic(small.url)
            surplus.connect()
            with pytest.raises(SEES_REASON) as refusal:
                surplus.reset()
            if isinstance(refusal.value, RuntimeError):
                assert "CAPACITY_REACHED" in str(refusal.value)
                assert "1/1 sessions active" in str(refusal.value)
            surplus.close()
        assert first.step({"message": "still here"}).observation["echoed_message"] == "still here"


def test_closing_frees_the_slot_at_once(small):
    for _ in range(20):
        with generic(small.url) as client:
            client.reset()
            assert client.step({"message": "a"}).observation["message_length"] == 1


def test_plain_http_needs_no_slot(small):
    with generic(small.url) as client:
        client.reset()
        assert requests.post(f"{small.url}/reset", json={}, timeout=10).status_code == 200
