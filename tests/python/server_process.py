"""The server under test as a child process."""

import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

# Loopback must not take the way through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

BINARY = os.environ.get("OPENENV_BIN")
IS_REFERENCE = os.environ.get("OPENENV_BIN_IS_REFERENCE") == "1"

# The reference imports for half a minute on a busy machine.
_READY_WITHIN_SECONDS = 90 if IS_REFERENCE else 20
_ATTEMPTS = 3


class ServerProcess:
    """`openenv serve …` on a free loopback port; healthy once constructed."""

    def __init__(self, environment: str, *flags: str) -> None:
        if not BINARY:
            raise RuntimeError("OPENENV_BIN has to name the `openenv` program")
        for attempt in range(_ATTEMPTS):
            try:
                self._start(environment, flags)
                return
            except _EndedEarly:
                # Another process may have taken the port in between.
                if attempt == _ATTEMPTS - 1:
                    raise

    def _start(self, environment: str, flags: tuple[str, ...]) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [BINARY, "serve", environment, "--host", "127.0.0.1", "--port", str(self.port), *flags],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + _READY_WITHIN_SECONDS
        while not self._is_healthy():
            if self._process.poll() is not None:
                raise _EndedEarly(f"the server ended with {self._process.returncode}:\n{self.output()}")
            if time.monotonic() > deadline:
                self.stop()
                raise TimeoutError(f"the server did not become healthy:\n{self.output()}")
            time.sleep(0.01)

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def output(self) -> str:
        """What the server has printed so far."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        if self.is_running():
            self._process.kill()
        self._process.wait()

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


@pytest.fixture
def serve() -> Iterator:
    """Starts servers with the given environment and flags, and stops them after the test."""
    processes = []

    def start(environment: str, *flags: str) -> ServerProcess:
        process = ServerProcess(environment, *flags)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.stop()


class _EndedEarly(RuntimeError):
    pass


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
