"""Modules that can be imported and used, and do nothing.

Web pages are the server's own business here, so what packages import to make
them costs time and memory for nothing. `gradio` is always replaced. What makes
web servers is replaced only where it is missing: without the real `openenv`
nothing brings it along.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

ALWAYS = ("gradio",)
WHERE_MISSING = ("uvicorn", "fastapi", "starlette")


class Inert:
    """Whatever is done with it is done with nothing."""

    def __init__(self, *_, lifespan=None, **__):
        # What an application does when it starts may be where its server is made.
        self.lifespan = lifespan

    def __call__(self, *arguments, **__):
        # As a decorator it leaves the function as it is.
        if len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type)):
            return arguments[0]
        return self

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _):
        return self

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return False

    def __or__(self, _):
        return self

    __ror__ = __or__

    def __mro_entries__(self, _):
        return (Inert,)


class InertModule(types.ModuleType):
    __path__ = ()
    __version__ = "0"

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            # A class, so that it can be the base of one.
            value = type(name, (Inert,), {"__module__": self.__name__})
        else:
            value = Inert()
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the packages that are replaced."""

    def __init__(self, names):
        self._names = frozenset(names)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return InertModule(spec.name)

    def exec_module(self, module):
        pass


def install(is_standin):
    sys.meta_path.insert(0, Finder(ALWAYS))
    if is_standin:
        missing = [name for name in WHERE_MISSING if importlib.util.find_spec(name) is None]
        sys.meta_path.append(Finder(missing))
