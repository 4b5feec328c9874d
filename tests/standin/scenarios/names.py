"""Which modules there are, and which names in them belong to the package."""

import importlib
import json
from pathlib import Path
from typing import TypeVar

import openenv
from openenv import core

# Part of the package only in the sense that they are installed with it.
SKIPPED = ("openenv.cli.templates", "openenv.core.containers.test_")


def observe(asked=None):
    return _listed() if asked is None else _looked_up(json.loads(asked))


def _listed():
    """Names by module: of `openenv.core` all that was defined there, of the rest nothing."""
    root = Path(openenv.__file__).parent
    names = {}
    for path in sorted(root.rglob("*.py")):
        parts = ["openenv", *path.relative_to(root).with_suffix("").parts]
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not module.startswith(SKIPPED) and module != "openenv.cli.__main__":
            names[module] = []
    for module in [name for name in names if name.startswith("openenv.core")]:
        try:
            found = importlib.import_module(module)
        except ImportError:  # needs a package that is not installed
            continue
        public = set(getattr(found, "__all__", ()))
        for name, value in vars(found).items():
            home = getattr(value, "__module__", "") or ""
            if name.startswith("_") or isinstance(value, TypeVar):
                continue
            if home.startswith("openenv"):
                public.add(name)
        names[module] = sorted(public)
    return names


def _looked_up(names):
    """What is there, what is refused as left out, and what is simply missing."""
    seen = {"there": [], "left out": [], "missing": []}
    for module, wanted in names.items():
        kind, found = _kind(lambda: importlib.import_module(module))
        seen[kind].append(module)
        for name in wanted if kind == "there" else ():
            seen[_kind(lambda: getattr(found, name))[0]].append(f"{module}.{name}")
    seen["exported"] = sorted(core.__all__)
    return seen


def _kind(call):
    try:
        return "there", call()
    except openenv.StandInError:
        return "left out", None
    except (ImportError, AttributeError):
        return "missing", None
