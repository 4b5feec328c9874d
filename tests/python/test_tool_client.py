"""The tool client's session handling; `test_tools.py` is about the tools themselves."""

import asyncio
import json

import pytest
import requests
from generation import IS_ASYNC, TOOL_CLIENT_ATTACHES, blocking, generic
from openenv.core import MCPToolClient
from websockets.sync.client import connect


def _rpc(server, method: str, **params) -> dict:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = requests.post(f"{server.url}/mcp", json=request, timeout=10)
    assert answer.status_code == 200
    return answer.json()


def test_blocking_connect_reset_state_close(server):
    with blocking(MCPToolClient(base_url=server.url)) as client:
        assert client.reset(episode_id="tools").done is False
        state = client.state()
        assert state.episode_id == "tools"
        assert state.step_count == 0


@pytest.mark.skipif(not IS_ASYNC, reason="this generation is blocking only")
def test_async_connect_reset_state_close(server):
    async def scenario():
        async with MCPToolClient(base_url=server.url) as client:
            await client.reset()
            return await client.state()

    assert asyncio.run(scenario()).step_count == 0


def test_production_mode_serves_the_tool_client(serve):
    server = serve("echo", "--mode", "production")
    with blocking(MCPToolClient(base_url=server.url)) as client:
        assert client.reset().done is False


def test_closing_frees_the_slot(serve):
    server = serve("echo", "--max-sessions", "1")
    for _ in range(5):
        with blocking(MCPToolClient(base_url=server.url)) as client:
            client.reset()
    with generic(server.url) as client:
        client.reset()


@pytest.mark.skipif(not TOOL_CLIENT_ATTACHES, reason="this generation's tool client opens a plain socket")
def test_the_session_is_made_over_http_and_holds_the_slot(serve):
    server = serve("echo", "--max-sessions", "1")
    with blocking(MCPToolClient(base_url=server.url)) as client:
        client.reset()
        refusal = _rpc(server, "openenv/session/create")["error"]
        assert refusal["code"] == -32000
        assert refusal["data"] == {"active_sessions": 1, "max_sessions": 1}


def test_a_session_survives_its_sockets(server):
    session_id = _rpc(server, "openenv/session/create")["result"]["session_id"]
    address = f"{server.ws_url}?session_id={session_id}"

    def ask(socket, message: dict) -> dict:
        socket.send(json.dumps(message))
        return json.loads(socket.recv(timeout=10))

    with connect(address) as socket:
        ask(socket, {"type": "reset", "data": {"episode_id": "kept"}})
        ask(socket, {"type": "step", "data": {"message": "a"}})
        with connect(address) as second:
            refusal = json.loads(second.recv(timeout=10))
        assert refusal["data"]["code"] == "SESSION_ERROR"
        assert "already has an attached WebSocket" in refusal["data"]["message"]
        socket.send('{"type":"close"}')
        with pytest.raises(Exception, match="1000"):
            socket.recv(timeout=10)

    with connect(address) as socket:
        state = ask(socket, {"type": "state"})["data"]
        assert state["episode_id"] == "kept"
        assert state["step_count"] == 1
        socket.send('{"type":"close"}')
        with pytest.raises(Exception, match="1000"):
            socket.recv(timeout=10)

    closed = _rpc(server, "openenv/session/close", session_id=session_id)["result"]
    assert closed == {"session_id": session_id, "closed": True}
    with connect(address) as socket:
        refusal = json.loads(socket.recv(timeout=10))
    assert refusal["data"]["code"] == "SESSION_ERROR"
    assert f"Unknown session_id: {session_id}" in refusal["data"]["message"]


def test_not_a_request_is_answered_as_json_rpc(server):
    answer = requests.post(f"{server.url}/mcp", json={}, timeout=10)
    assert answer.status_code == 200
    assert answer.json()["jsonrpc"] == "2.0"
    assert answer.json()["error"]["code"] == -32600
