"""Finds what the author's package would serve, without serving it."""

import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import traceback

from . import inert
from .application import Application
from .recorder import Recorder


class LoadError(Exception):
    """Why there is nothing to serve, in a form that the server can explain."""

    def __init__(self, kind, message, **details):
        super().__init__(message)
        self.kind = kind
        self.details = details

    def report(self):
        return {"kind": self.kind, "message": str(self), **self.details}


def load(job):
    """Imports the project and returns its application.

    # Errors
    LoadError, whatever the package does while it is imported.
    """
    project = job["project"]
    prepare(project, job["standin"])
    try:
        recorder = Recorder()
        if project.get("object"):
            return load_object(project["object"], recorder)
        return load_application(project["modules"], recorder)
    except LoadError:
        raise
    except BaseException as error:
        trace = traced(error)
        left_out = missed(error)
        if left_out:
            raise LoadError("standin", left_out, traceback=trace) from None
        if isinstance(error, ModuleNotFoundError):
            raise LoadError("missing", str(error), module=error.name, traceback=trace) from None
        message = f"{type(error).__name__}: {error}"
        raise LoadError("import", message, traceback=trace) from None


def traced(error):
    """The traceback of an error, as far as it is about the author's code."""
    here = os.path.dirname(__file__)
    importing = ("<frozen importlib", os.path.dirname(importlib.__file__), here)
    trace = traceback.TracebackException.from_exception(error)
    parts = [trace]
    while parts:
        part = parts.pop()
        part.stack[:] = [it for it in part.stack if not it.filename.startswith(importing)]
        parts.extend(it for it in (part.__cause__, part.__context__) if it is not None)
    return "".join(trace.format())


def missed(error):
    """What the stand-in would have needed for the import to go well, if that is why it did not.

    Packages try several names in turn, so the error that remains may be of another.
    """
    openenv = sys.modules.get("openenv")
    if not getattr(openenv, "STANDIN", False):
        return None
    if openenv.StandInError.asked:
        return ", ".join(openenv.StandInError.asked)
    name = getattr(error, "name", None) or ""
    return name if name.partition(".")[0] in ("openenv", "openenv_core") else None


def prepare(project, standin):
    """Makes the package importable as if it were installed."""
    # Some packages ask for the web interface themselves unless they are told not to.
    os.environ["ENABLE_WEB_INTERFACE"] = "false"
    os.chdir(project["root"])
    is_standin = importlib.util.find_spec("openenv") is None
    # Last, so that whatever is installed comes first.
    sys.path.append(standin)
    inert.install(is_standin)
    for path in reversed(project["paths"]):
        if path not in sys.path:
            sys.path.insert(0, path)
    package = project.get("package")
    if package:
        sys.meta_path.insert(0, PackageFinder(package["name"], package["directory"]))


class PackageFinder:
    """Finds a package whose directory does not bear its name."""

    def __init__(self, name, directory):
        self._name = name
        self._directory = directory

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        init = os.path.join(self._directory, "__init__.py")
        if os.path.exists(init):
            return importlib.util.spec_from_file_location(
                name, init, submodule_search_locations=[self._directory]
            )
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [self._directory]
        return spec


def load_application(candidates, recorder):
    tried = []
    for candidate in candidates:
        name = candidate["module"]
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            # The module itself is not there: the next may be. One that is there
            # and lacks something is what was meant.
            if error.name and (name == error.name or name.startswith(error.name + ".")):
                tried.append(f"{name} ({error})")
                continue
            raise
        except Exception:
            if not recorder.recorded:
                raise
            module = None
        if not recorder.recorded:
            start_up(getattr(module, candidate.get("attribute") or "app", None))
        if recorder.recorded:
            return recorder.application(name)
        tried.append(f"{name} (imported, but it makes no server)")
    raise LoadError("nothing", "no module makes a server", tried=tried)


def start_up(app):
    """Starts an application whose server is made when it starts."""
    if isinstance(app, inert.Inert):
        lifespan = app.lifespan
    else:
        lifespan = getattr(getattr(app, "router", None), "lifespan_context", None)
    if not callable(lifespan) or isinstance(lifespan, inert.Inert):
        return
    import asyncio

    loop = asyncio.new_event_loop()
    context = lifespan(app)
    loop.run_until_complete(context.__aenter__())
    # Never left: what it opened, environments may use.
    start_up.held = (loop, context)


def load_object(path, recorder):
    """A class or function by its name, without an application around it."""
    module = importlib.import_module(path["module"])
    found = module
    for part in path["attribute"].split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            message = f"module `{path['module']}` has no `{path['attribute']}`"
            raise LoadError("nothing", message, tried=[path["module"]]) from None
    if recorder.recorded and not inspect.isclass(found):
        return recorder.application(path["module"])
    if not callable(found):
        message = f"`{path['attribute']}` is a {type(found).__name__}, not a class or a function"
        raise LoadError("types", message)
    try:
        return Application.annotated(found, path["module"])
    except TypeError as error:
        raise LoadError("types", str(error)) from None
