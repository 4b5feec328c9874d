"""A client that drives a session, as a trainer does."""

import json
import urllib.request
from typing import Any

from websockets.sync.client import connect

from programs import Server

# Requests that are sent ahead of their replies.
_AHEAD = 100


class Trainer:
    """One session over a WebSocket of its own."""

    def __init__(self, server: Server) -> None:
        self._connection = connect(server.ws_url, max_size=None)
        self._socket = self._connection.__enter__()

    def ask(self, frame: dict[str, Any]) -> dict[str, Any]:
        self._socket.send(json.dumps(frame))
        return json.loads(self._socket.recv())

    def reset(self, **data: Any) -> dict[str, Any]:
        return self.ask({"type": "reset", "data": data})

    def step(self, **action: Any) -> dict[str, Any]:
        return self.ask({"type": "step", "data": action})

    def state(self) -> dict[str, Any]:
        return self.ask({"type": "state"})["data"]

    def repeat(self, count: int, **action: Any) -> None:
        """Takes the same step many times, as fast as the server answers."""
        frame = json.dumps({"type": "step", "data": action})
        for number in range(count):
            self._socket.send(frame)
            if number >= _AHEAD:
                self._socket.recv()
        for _ in range(min(count, _AHEAD)):
            self._socket.recv()

    def close(self) -> None:
        self._connection.__exit__(None, None, None)


def get(server: Server, path: str) -> Any:
    """What the server answers a GET with."""
    with urllib.request.urlopen(f"{server.url}{path}", timeout=10) as answer:
        return json.load(answer)


def active_sessions(server: Server) -> int:
    return get(server, "/capacity")["active"]
