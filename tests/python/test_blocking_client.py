"""Blocking use: `with`, `.sync()`, typed and untyped."""

import uuid

import pytest
from generation import (
    HAS_NEW_SESSION,
    IS_DUAL,
    EchoAction,
    EchoClient,
    EchoObservation,
    blocking,
    generic,
)
from openenv.core import GenericEnvClient


def test_reset_step_and_state_with_dictionaries(server):
    with generic(server.url) as client:
        first = client.reset()
        assert first.observation["echoed_message"] == "Echo environment ready!"
        assert first.observation["message_length"] == 0
        assert first.reward == 0.0
        assert first.done is False

        second = client.step({"message": "hello"})
        assert second.observation["echoed_message"] == "hello"
        assert second.observation["message_length"] == 5
        assert second.reward == pytest.approx(0.5)
        assert second.done is False

        state = client.state()
        assert state["step_count"] == 1
        assert uuid.UUID(state["episode_id"])


def test_reset_step_and_state_with_types(server):
    with blocking(EchoClient(base_url=server.url)) as client:
        first = client.reset()
        assert isinstance(first.observation, EchoObservation)
        assert first.observation.echoed_message == "Echo environment ready!"

        second = client.step(EchoAction(message="typed"))
        assert second.observation.echoed_message == "typed"
        assert second.observation.message_length == 5
        assert second.observation.done is False
        assert second.reward == pytest.approx(0.5)

        state = client.state()
        assert state.step_count == 1


def test_reset_passes_seed_episode_and_unknown_arguments(server):
    with generic(server.url) as client:
        client.reset(seed=7, episode_id="episode-of-mine", difficulty="hard", layers=[1, {"a": None}])
        assert client.state()["episode_id"] == "episode-of-mine"


def test_reset_starts_a_new_episode(server):
    with generic(server.url) as client:
        client.reset()
        client.step({"message": "a"})
        before = client.state()
        client.reset()
        after = client.state()
    assert (before["step_count"], after["step_count"]) == (1, 0)
    assert before["episode_id"] != after["episode_id"]


def test_calls_before_the_first_reset(server):
    with generic(server.url) as client:
        assert client.state()["step_count"] == 0
        assert client.step({"message": "early"}).observation["echoed_message"] == "early"


def test_many_steps(server):
    with generic(server.url) as client:
        client.reset()
        for index in range(500):
            assert client.step({"message": str(index)}).observation["echoed_message"] == str(index)
        assert client.state()["step_count"] == 500


@pytest.mark.parametrize(
    "message",
    ["ünïcödé", "日本語", "🦀", "line\nbreak\ttab", '"quoted" \\ back', "\u2028\u2029", "\x00"],
)
def test_text_survives_and_length_counts_characters(server, message):
    with generic(server.url) as client:
        observation = client.step({"message": message}).observation
    assert observation["echoed_message"] == message
    assert observation["message_length"] == len(message)


def test_action_metadata_is_accepted(server):
    with generic(server.url) as client:
        assert client.step({"message": "m", "metadata": {"trace": 1}}).observation["echoed_message"] == "m"


@pytest.mark.parametrize("scheme", ["http://", "ws://", ""])
def test_base_url_forms(server, scheme):
    base_url = f"{scheme}127.0.0.1:{server.port}"
    with generic(base_url) as client:
        assert client.reset().done is False


def test_base_url_with_trailing_slash(server):
    with generic(server.url + "/") as client:
        assert client.reset().done is False


def test_reconnect_after_close_gives_a_new_session(server):
    client = generic(server.url)
    client.connect()
    client.reset()
    client.step({"message": "a"})
    client.close()

    client.connect()
    assert client.state()["step_count"] == 0
    assert client.step({"message": "b"}).observation["echoed_message"] == "b"
    client.close()


@pytest.mark.skipif(not IS_DUAL, reason="this generation has no blocking use without `.sync()`")
def test_blocking_use_without_wrapper(server):
    with GenericEnvClient(base_url=server.url) as client:
        assert client.reset().observation["message_length"] == 0
        assert client.step({"message": "plain"}).observation["echoed_message"] == "plain"
        assert client.state()["step_count"] == 1


@pytest.mark.skipif(not HAS_NEW_SESSION, reason="this generation has no `new_session()`")
def test_new_session_is_isolated(server):
    with generic(server.url) as client:
        client.reset()
        client.step({"message": "a"})
        sibling = client.new_session()
        assert sibling.state()["step_count"] == 0
        sibling.reset()
        assert client.state()["step_count"] == 1
