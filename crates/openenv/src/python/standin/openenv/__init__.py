"""A light stand-in for the package `openenv`, for a process that only serves environments.

A worker puts the directory above this one at the end of `sys.path`, so that the real package wins
where it is installed. Its only import besides the standard library is pydantic.
"""

import sys
from importlib import import_module

from ._left_out import LeftOutFinder, StandInError

__version__ = "0.10.0+standin"

# How a worker knows which of the two it has got.
STANDIN = True

__all__ = ["core", "GenericEnvClient", "GenericAction", "SyncEnvClient"]

# The real package loads these on first use. `cli` and `auto` are left out: importing them says so.
_LAZY = {
    "core": (".core", None),
    "cli": (".cli", None),
    "AutoEnv": (".auto", "AutoEnv"),
    "AutoAction": (".auto", "AutoAction"),
    "GenericEnvClient": (".core.generic_client", "GenericEnvClient"),
    "GenericAction": (".core.generic_client", "GenericAction"),
    "SyncEnvClient": (".core.sync_client", "SyncEnvClient"),
}

# Last, so that it is asked only about modules that nobody has.
sys.meta_path.append(LeftOutFinder())


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LAZY[name]
    found = import_module(module, __name__)
    return getattr(found, attribute) if attribute else found


def __dir__():
    return sorted({*globals(), *__all__})
