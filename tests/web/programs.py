"""The servers that the page comes from, as child processes."""

import os
import subprocess
import tempfile
import threading
from pathlib import Path

# Loopback must not take the way through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

ROOT = Path(__file__).parents[2]
PYTHON_PACKAGES = ROOT / "crates/openenv/tests/fixtures/python/packages"
_READY_WITHIN_SECONDS = 60


def setting(name: str) -> str:
    """What the suite was told; `cargo xtask test web` says it all."""
    value = os.environ.get(name)
    if not value:
        raise RuntimeError(f"{name} has to be set, as `cargo xtask test web` does")
    return value


class Server:
    """A program that serves an environment on a free loopback port; it listens once constructed."""

    def __init__(self, *command: str | Path, environment: dict[str, str] | None = None) -> None:
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*map(str, command), "--host", "127.0.0.1", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **(environment or {})},
        )
        # The address is the one line that a server prints for programs.
        lines: list[bytes] = []
        reader = threading.Thread(target=lambda: lines.append(self._process.stdout.readline()), daemon=True)
        reader.start()
        reader.join(_READY_WITHIN_SECONDS)
        if not lines or not lines[0].startswith(b"http"):
            self.stop()
            raise RuntimeError(f"{command[0]} did not say where it listens:\n{self.output()}")
        self.url = lines[0].decode().strip()

    @classmethod
    def example(cls, name: str, *flags: str) -> "Server":
        """An environment in Rust with a program of its own."""
        return cls(Path(setting("OPENENV_EXAMPLES")) / name, *flags)

    @classmethod
    def command(cls, environment: str, *flags: str) -> "Server":
        """`openenv serve` with an environment that it has in itself."""
        return cls(setting("OPENENV_BIN"), "serve", environment, *flags)

    @classmethod
    def python_package(cls, name: str, *flags: str) -> "Server":
        """`openenv serve` with a package in Python."""
        interpreter = setting("OPENENV_STANDIN_PYTHON")
        return cls.command(str(PYTHON_PACKAGES / name), "--python", interpreter, *flags)

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"

    @property
    def page_url(self) -> str:
        return f"{self.url}/web/"

    @property
    def process_id(self) -> int:
        return self._process.pid

    def resident_mib(self) -> float:
        """Memory of the process."""
        status = Path(f"/proc/{self.process_id}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def output(self) -> str:
        """What the server has logged so far."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        if self.is_running():
            self._process.kill()
        self._process.wait()
