"""`openenv mcp`: a client has one session from its start to its end, and the process ends with it."""

import json
import subprocess

import pytest
from sdk import MODES, over_stdio, plain
from server_process import BINARY


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_the_session_lasts_as_long_as_the_client(mode):
    async with over_stdio("documents", mode=mode) as client:
        await client.call_tool("write", {"title": "Kept", "text": "A note."})
        assert plain(await client.call_tool("read", {"id": "kept"}))["structuredContent"]["text"] == "A note."
    async with over_stdio("documents", mode=mode) as client:
        assert plain(await client.call_tool("read", {"id": "kept"}))["isError"] is True


def test_it_ends_when_its_input_does_and_prints_nothing_but_the_protocol():
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
    ]
    with subprocess.Popen(
        [BINARY, "mcp", "documents"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        answers = {}
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                answers[answer["id"]] = answer["result"]
        rest, errors = process.communicate(timeout=10)
    assert answers[1]["serverInfo"]["name"] == "documents"
    assert answers[2] == {}
    assert len(answers[3]["tools"]) == 8
    assert (rest, errors) == ("", "")
    assert process.returncode == 0


def test_a_client_that_never_speaks_is_no_failure():
    finished = subprocess.run([BINARY, "mcp", "echo"], input="", capture_output=True, text=True, timeout=10)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def test_an_environment_without_tools_is_refused():
    finished = subprocess.run([BINARY, "mcp", "benchmark"], input="", capture_output=True, text=True, timeout=10)
    assert finished.returncode == 1
    assert finished.stdout == ""
    assert "environment `benchmark` has no tools to serve" in finished.stderr
