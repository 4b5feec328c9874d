"""The old name of `openenv.core`: the same modules, not copies of them.

Two copies of `Action` would be two classes, and an action of one is not an action of the other.
"""

import sys
import warnings
from importlib import import_module, util
from importlib.machinery import ModuleSpec

from openenv import core as _core

__all__ = _core.__all__

warnings.warn("`openenv_core` is the old name of `openenv.core`", DeprecationWarning, stacklevel=2)


class _Alias:
    """Answers `openenv_core.x` with the module `openenv.core.x`."""

    prefix = __name__ + "."

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(self.prefix):
            return None
        found = util.find_spec(self._target(name))
        if found is None:
            return None
        is_package = found.submodule_search_locations is not None
        return ModuleSpec(name, self, is_package=is_package)

    def create_module(self, spec):
        module = import_module(self._target(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        # Python has just written the alias's spec into the module; it keeps its own.
        module.__spec__ = module.__spec__.loader_state

    def _target(self, name):
        return f"{_core.__name__}.{name.removeprefix(self.prefix)}"


# First: the directory of this package is empty, but a namespace of the same name need not be.
sys.meta_path.insert(0, _Alias())


def __getattr__(name):
    return getattr(_core, name)


def __dir__():
    return dir(_core)
