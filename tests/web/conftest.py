"""A browser, servers, and tabs for the tests."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import FLAGS
from elsewhere import Elsewhere
from playwright.sync_api import Browser, sync_playwright
from programs import Server, setting
from sight import Sight

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 10_000


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Elsewhere]:
    """Another host, called `elsewhere.test`, which nothing here should ever ask."""
    with Elsewhere() as host:
        yield host


@pytest.fixture(scope="session")
def browser(elsewhere: Elsewhere) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = shutil.which(setting("OPENENV_CHROMIUM"))
        names = f"--host-resolver-rules=MAP elsewhere.test 127.0.0.1:{elsewhere.port}"
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, names])
        yield browser
        browser.close()


def _shared(server: Server) -> Iterator[Server]:
    yield server
    survived = server.is_running()
    server.stop()
    assert survived, f"the server ended by itself:\n{server.output()}"


@pytest.fixture(scope="session")
def echo() -> Iterator[Server]:
    yield from _shared(Server.command("echo", "--max-sessions", "64"))


@pytest.fixture(scope="session")
def kitchen() -> Iterator[Server]:
    """The environment with everything in it."""
    yield from _shared(Server.example("kitchen_sink", "--max-sessions", "64"))


@pytest.fixture(scope="session")
def game() -> Iterator[Server]:
    """The environment with a board to look at."""
    yield from _shared(Server.example("tic_tac_toe", "--max-sessions", "64"))


@pytest.fixture(scope="session")
def greenhouse() -> Iterator[Server]:
    """The environment in Python."""
    yield from _shared(Server.python_package("rendered"))


@pytest.fixture
def serve() -> Iterator[Callable[[Server], Server]]:
    """Keeps a server for one test."""
    servers: list[Server] = []

    def keep(server: Server) -> Server:
        servers.append(server)
        return server

    yield keep
    for server in servers:
        server.stop()


@pytest.fixture
def tab(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Sight]]:
    """Opens tabs on servers; each has a browser to itself unless it is told whose to share."""
    contexts = []
    sights: list[Sight] = []

    def open_tab(
        server: Server, route: str | None = "play", *, beside: Sight | None = None, **options: Any
    ) -> Sight:
        if beside:
            context = beside.page.context
        else:
            context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
            context.set_default_timeout(PATIENCE_MS)
            contexts.append(context)
        sight = Sight(context.new_page(), server)
        sights.append(sight)
        return sight.open(route) if route else sight

    yield open_tab
    if request.node.stash.get(_FAILED, False):
        for number, sight in enumerate(sights):
            if not sight.page.is_closed():
                picture(sight, f"failed-{request.node.name}-{number}")
    for context in contexts:
        context.close()
    broken = [error for sight in sights for error in sight.errors]
    assert not broken, f"the page threw: {broken}"


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


def picture(sight: Sight, name: str) -> None:
    """Keeps a screenshot, for people to look at."""
    directory = os.environ.get("OPENENV_SCREENSHOTS")
    if directory:
        Path(directory).mkdir(parents=True, exist_ok=True)
        sight.page.screenshot(path=Path(directory) / (re.sub(r"[^\w.-]+", "-", name) + ".png"))
