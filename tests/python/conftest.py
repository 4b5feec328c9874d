"""Servers for the tests, and what happens to tests that show more than the reference can do."""

import pytest
from generation import DISTRIBUTION, VERSION_TEXT
from server_process import IS_REFERENCE, ServerProcess, serve  # noqa: F401


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
