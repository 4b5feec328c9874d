"""Python that users copy runs as it is printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from generation import VERSION

README = Path(__file__).parents[2] / "README.md"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVED = re.compile(r"openenv serve(?: ([a-z]+))?")

BLOCKING = """
from openenv.core import GenericEnvClient

with GenericEnvClient(base_url="http://localhost:8000").sync() as env:
    env.reset()
    print(env.step({"message": "hello"}).observation["echoed_message"])
"""

ASYNC = """
import asyncio
from openenv.core import GenericEnvClient

async def main():
    async with GenericEnvClient(base_url="http://localhost:8000") as env:
        await env.reset()
        result = await env.step({"message": "hello"})
        print(result.observation["echoed_message"])

asyncio.run(main())
"""


def _printed() -> list[tuple[str, str]]:
    """The README's Python, as far as it drives a server, and what it was told to serve before."""
    if not README.is_file():
        return []
    text = README.read_text()
    printed = []
    for fence in FENCE.finditer(text):
        served = SERVED.findall(text[: fence.start()])[-1] or "echo"
        if "openenv" in fence[1]:
            printed.append((served, fence[1]))
    return printed


def _run(server, code: str) -> str:
    code = re.sub(r"(localhost|127\.0\.0\.1):8000", f"127.0.0.1:{server.port}", code)
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=45)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.skipif(VERSION < (0, 3), reason="this generation has no `.sync()`")
@pytest.mark.parametrize("code", [BLOCKING, ASYNC], ids=["blocking", "async"])
def test_usual_form(server, code):
    assert _run(server, code) == "hello\n"


# Without a README there is nothing to run; with one, every snippet counts.
@pytest.mark.skipif(VERSION < (0, 10), reason="the README shows the current generation")
@pytest.mark.parametrize(("environment", "code"), _printed())
def test_readme(serve, environment, code):
    assert _run(serve(environment), code).strip()
