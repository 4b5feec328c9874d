"""Servers for the tests, shared with those of the OpenEnv clients."""

import json
import urllib.request

import pytest
import sdk
from server_process import ServerProcess, serve  # noqa: F401


def pytest_report_header() -> str:
    return f"client: mcp {sdk.VERSION_TEXT}"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _shared(environment: str):
    process = ServerProcess(environment, "--max-sessions", "256")
    yield process
    survived = process.is_running()
    process.stop()
    assert survived, f"the server ended by itself:\n{process.output()}"


@pytest.fixture(scope="session")
def documents():
    """One `documents` server with room for every test that does not need its own."""
    yield from _shared("documents")


@pytest.fixture(scope="session")
def echo():
    """One `echo` server with room for every test that does not need its own."""
    yield from _shared("echo")


@pytest.fixture
def active():
    """Tells how many sessions a server has."""

    def count(server: ServerProcess) -> int:
        with urllib.request.urlopen(f"{server.url}/capacity", timeout=10) as answer:
            return json.load(answer)["active"]

    return count
