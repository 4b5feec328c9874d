"""Servers for the tests, and what happens to tests that show more than the reference can do."""

import os

import pytest

# Loopback must not take the way through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

from generation import DISTRIBUTION, VERSION_TEXT  # noqa: E402
from server_process import IS_REFERENCE, ServerProcess  # noqa: E402


def pytest_report_header() -> str:
    server = "the reference" if IS_REFERENCE else "openenv-rs"
    return f"client: {DISTRIBUTION} {VERSION_TEXT}, server: {server}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not IS_REFERENCE:
        return
    for item in items:
        marker = item.get_closest_marker("improvement")
        if marker:
            # Strict: a passing test would show nothing that the reference lacks.
            item.add_marker(pytest.mark.xfail(reason=marker.args[0], strict=True))


@pytest.fixture(scope="session")
def server():
    """One `echo` server with room for every test that does not need its own."""
    process = ServerProcess("echo", "--max-sessions", "256")
    yield process
    survived = process.is_running()
    process.stop()
    assert survived, f"the server ended by itself:\n{process.output()}"


@pytest.fixture
def serve():
    """Starts servers with the given environment and flags, and stops them after the test."""
    processes = []

    def start(environment: str, *flags: str) -> ServerProcess:
        process = ServerProcess(environment, *flags)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.stop()
