"""`observe.py SCENARIO [ARGUMENT...]` prints what the scenario observes, as one line of JSON."""

import importlib
import json
import os
import sys

standin = os.environ["STANDIN"]
if standin:
    # At the end, as a worker does it.
    sys.path.append(standin)

import openenv  # noqa: E402

if bool(standin) != getattr(openenv, "STANDIN", False):
    sys.exit(f"not the package that was asked for: {openenv.__file__}")

name, *arguments = sys.argv[1:]
scenario = importlib.import_module(f"scenarios.{name}")
print(json.dumps(scenario.observe(*arguments)))
