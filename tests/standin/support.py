"""Runs the same scenario on the stand-in and on the real package.

A scenario is a module of `scenarios` with a function `observe`, whose result is JSON. Each runs in
a process of its own: two packages of one name do not fit into one. The stand-in runs with the
interpreter of the tests, which has pydantic, fastmcp for the tools, and no `openenv`; the real
package with the one that `OPENENV_REAL_PYTHON` names, which has `openenv` 0.10.0.
"""

import functools
import importlib.util
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent
STANDIN = HERE.parents[1] / "crates/openenv/src/python/standin"

needs_real = unittest.skipUnless(
    os.environ.get("OPENENV_REAL_PYTHON"),
    "OPENENV_REAL_PYTHON does not name an interpreter with openenv 0.10.0",
)
needs_fastmcp = unittest.skipUnless(
    importlib.util.find_spec("fastmcp"), "this interpreter has no fastmcp"
)


@functools.cache
def standin(scenario, *args):
    return _observe(sys.executable, STANDIN, scenario, *args)


@functools.cache
def real(scenario, *args):
    return _observe(os.environ["OPENENV_REAL_PYTHON"], "", scenario, *args)


def _observe(python, standin_path, scenario, *args):
    process = subprocess.run(
        [python, HERE / "observe.py", scenario, *args],
        env={**os.environ, "STANDIN": str(standin_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if process.returncode:
        raise AssertionError(f"{scenario} with {python}:\n{process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])


class Comparison(unittest.TestCase):
    maxDiff = None

    def assert_same(self, scenario, *args):
        """Whatever was observed, key by key, so that one difference does not hide the others."""
        ours, theirs = standin(scenario, *args), real(scenario, *args)
        self.assertEqual(list(ours), list(theirs))
        for key in theirs:
            with self.subTest(key):
                self.assertEqual(ours[key], theirs[key])
