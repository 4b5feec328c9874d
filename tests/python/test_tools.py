"""Tools through OpenEnv's own clients: listed, called directly, and called as steps that earn rewards.

The newest generation calls tools over HTTP, in the session of its socket, and such a call is no step.
In the older ones a call is a step on the socket.
"""

import asyncio

import pytest
from generation import HAS_TOOL_CALLS_OVER_HTTP, IS_ASYNC, TOOL_CALLS_ARE_STEPS, blocking, generic
from openenv.core import MCPToolClient
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    ToolErrorType,
)
from server_process import IS_REFERENCE, ServerProcess

pytestmark = pytest.mark.skipif(IS_REFERENCE, reason="the reference is run with the typed echo, which has no tools")

SHARED = ["search", "read", "list", "write", "append", "delete", "import"]
TOOLS = {"simulation": [*SHARED, "question", "submit_answer"], "production": [*SHARED, "export"]}


@pytest.fixture(scope="module")
def documents():
    process = ServerProcess("documents")
    yield process
    process.stop()


def tools(server):
    return blocking(MCPToolClient(base_url=server.url))


def call(name: str, **arguments) -> CallToolAction:
    return CallToolAction(tool_name=name, arguments=arguments)


@pytest.mark.parametrize("mode", ["simulation", "production"])
def test_tools_of_echo(serve, mode):
    with tools(serve("echo", "--mode", mode)) as client:
        client.reset()
        listed = client.list_tools()
        assert [tool.name for tool in listed] == ["echo_message", "echo_with_length"]
        assert listed[0].description == "Echo back the provided message."
        assert listed[0].input_schema["required"] == ["message"]
        assert client.call_tool("echo_message", message="Hello!") == "Hello!"
        assert client.call_tool("echo_with_length", message="Hello!") == {"message": "Hello!", "length": 6}


@pytest.mark.parametrize("mode", ["simulation", "production"])
def test_each_mode_has_its_tools(serve, mode):
    with tools(serve("documents", "--mode", mode)) as client:
        # Tools need no episode.
        assert [tool.name for tool in client.list_tools()] == TOOLS[mode]
        assert client.call_tool("search", query="owl", limit=1)["hits"][0]["id"] == "barn-owl"
        absent = "export" if mode == "simulation" else "submit_answer"
        with pytest.raises(RuntimeError, match=f"Tool '{absent}' failed: .*{absent}"):
            client.call_tool(absent)


def test_one_tool_is_found_by_its_name(documents):
    with tools(documents) as client:
        assert client.has_tool("read")
        assert not client.has_tool("sing")
        assert client.get_tool("read").input_schema["required"] == ["id"]
        assert client.get_tool("sing") is None


@pytest.mark.skipif(not IS_ASYNC, reason="this generation is blocking only")
def test_tools_with_await(documents):
    async def scenario():
        async with MCPToolClient(base_url=documents.url) as client:
            await client.reset()
            await client.call_tool("write", title="Mine", text="A note.")
            return len(await client.list_tools()), await client.call_tool("read", id="mine")

    count, page = asyncio.run(scenario())
    assert count == len(TOOLS["simulation"])
    assert page["text"] == "A note."


def test_failures_are_raised(documents):
    with tools(documents) as client:
        for name, arguments, message, kind in [
            ("sing", {}, "Unknown tool: 'sing'", "tool_not_found"),
            ("read", {"id": 7}, "Input should be a valid string", "invalid_args"),
            ("read", {"id": "barn-ow"}, "did you mean `barn-owl`\\?", "invalid_args"),
        ]:
            with pytest.raises(RuntimeError, match=f"Tool '{name}' failed: ") as failure:
                client.call_tool(name, **arguments)
            assert failure.match(message)
            if TOOL_CALLS_ARE_STEPS:
                assert failure.match(f"type: {kind}")
        assert client.call_tool("read", id="barn-owl")["title"] == "Barn owl"


def test_an_episode_of_steps_earns_rewards(documents):
    with tools(documents) as client:
        assert client.reset(task="octopus-metal").done is False

        listed = client.step(ListToolsAction())
        assert isinstance(listed.observation, ListToolsObservation)
        assert [tool.name for tool in listed.observation.tools] == TOOLS["simulation"]
        assert (listed.reward, listed.done) == (None, False)

        found = client.step(call("search", query="metal blood octopus", limit=1))
        assert isinstance(found.observation, CallToolObservation)
        assert found.observation.tool_name == "search"
        assert found.observation.error is None
        assert found.observation.result["data"]["hits"][0]["id"] == "octopus"
        assert found.reward == pytest.approx(-0.01)
        assert found.done is False

        wrong = client.step(call("submit_answer", answer="iron"))
        assert wrong.observation.result["data"] == {"correct": False, "score": 0.0, "answers_left": 2}
        assert (wrong.reward, wrong.done) == (0.0, False)

        right = client.step(call("submit_answer", answer="Copper"))
        assert right.observation.result["data"]["correct"] is True
        assert (right.reward, right.done) == (1.0, True)
        assert client.state().step_count == 4


def test_a_step_that_fails_is_an_observation(documents):
    with tools(documents) as client:
        client.reset(task="octopus-metal")
        unknown = client.step(call("sing")).observation
        assert unknown.result is None
        assert unknown.error.error_type is ToolErrorType.TOOL_NOT_FOUND
        assert unknown.error.message == "Unknown tool: 'sing'"

        failed = client.step(call("read", id="barn-ow"))
        assert "did you mean `barn-owl`?" in failed.observation.error.message
        assert failed.done is False
        assert client.step(call("read", id="barn-owl")).observation.error is None


def test_calls_and_steps_share_a_session(documents):
    with tools(documents) as client, tools(documents) as other:
        client.reset(episode_id="shared")
        other.reset()
        client.call_tool("write", title="Mine", text="A note.")
        assert client.step(call("read", id="mine")).observation.result["data"]["text"] == "A note."
        state = client.state()
        assert state.episode_id == "shared"
        assert state.step_count == (2 if TOOL_CALLS_ARE_STEPS else 1)
        with pytest.raises(RuntimeError, match="there is no document `mine`"):
            other.call_tool("read", id="mine")


def test_a_reset_asks_a_question_and_tidies_up(documents):
    with generic(documents.url) as client:
        first = client.reset(task="octopus-metal").observation
        assert first["question"].startswith("Which metal")
        assert (first["answers_left"], first["calls_left"]) == (3, 32)
        write = {"type": "call_tool", "tool_name": "write", "arguments": {"title": "Mine", "text": "A note."}}
        assert client.step(write).observation["result"]["data"]["created"] is True
        assert client.state()["documents"] == first["documents"] + 1
        assert client.reset(task="octopus-metal").observation == first
        assert client.state()["documents"] == first["documents"]


def test_steps_that_are_no_tool_call_are_refused(documents):
    with generic(documents.url) as client:
        client.reset()
        for action in [{"message": "hello"}, {"type": "call_tool", "arguments": {}}]:
            with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
                client.step(action)
        assert client.state()["step_count"] == 0


@pytest.mark.skipif(not HAS_TOOL_CALLS_OVER_HTTP, reason="this generation calls tools on the socket only")
def test_calls_over_http_have_one_session(documents):
    client = MCPToolClient(base_url=documents.url)
    # The default of the newest generation, a switch in the two before it.
    client.use_production_mode = True
    with blocking(client) as client:
        assert len(client.list_tools()) == len(TOOLS["simulation"])
        client.call_tool("write", title="Mine", text="A note.")
        assert client.call_tool("read", id="mine")["text"] == "A note."
        with pytest.raises(RuntimeError, match="Tool 'sing' failed: Unknown tool: 'sing'"):
            client.call_tool("sing")


@pytest.mark.skipif(TOOL_CALLS_ARE_STEPS, reason="in this generation a call is a step on the socket")
def test_calls_that_are_no_steps_cost_nothing(documents):
    with tools(documents) as client:
        client.reset(task="octopus-metal")
        client.call_tool("search", query="octopus")
        assert client.call_tool("submit_answer", answer="copper")["correct"] is True
        # What the answer earned is paid with the next step, which ends the episode.
        paid = client.step(call("question"))
        assert (paid.reward, paid.done) == (pytest.approx(0.99), True)
        assert client.state().step_count == 1
