"""What it takes to import the usual names."""

import sys

before = set(sys.modules)

from openenv.core.env_server import (  # noqa: E402, F401
    Action,
    Environment,
    Observation,
    State,
    create_app,
)


def observe():
    new = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
    return {
        "all": new,
        "third party": [
            name
            for name in new
            if "-packages" in (getattr(sys.modules.get(name), "__file__", None) or "")
        ],
    }
