"""Finds what the author's package would serve, without serving it."""

import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys

from . import inert
from .application import Application
from .blame import blame
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
        found = blame(error, project["root"])
        left_out = missed(error)
        if left_out:
            raise LoadError("standin", **{**found, "message": left_out}) from None
        if isinstance(error, ModuleNotFoundError):
            raise LoadError("missing", module=error.name, **found) from None
        raise LoadError("import", **found) from None


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
    tried, objects = [], []
    for candidate in candidates:
        name = candidate["module"]
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            # The module itself is not there: the next may be. One that is there
            # and lacks something is what was meant.
            if is_part(error.name, name):
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
        objects += [f"{name}:{each}" for each in environments(module)]
    raise LoadError("nothing", "no module makes a server", tried=tried, objects=objects)


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
    name = path["module"]
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not is_part(error.name, name):
            raise
        message = f"there is no module `{error.name}` in `{os.getcwd()}`"
        raise LoadError("nothing", message) from None
    found = module
    for part in path["attribute"].split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            message = f"module `{name}` has no `{path['attribute']}`"
            instead = ", ".join(f"`{each}`" for each in environments(module))
            raise LoadError("nothing", f"{message}, but {instead}" if instead else message) from None
    if recorder.recorded and not inspect.isclass(found):
        return recorder.application(name)
    if not callable(found):
        message = f"`{path['attribute']}` is a {type(found).__name__}, not a class or a function"
        raise LoadError("types", message)
    try:
        return Application.annotated(found, name)
    except TypeError as error:
        raise LoadError("types", str(error)) from None


def environments(module):
    """The names of what seems to be an environment in a module."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and hasattr(value, "reset")
        and hasattr(value, "step")
    ]


def is_part(missing, name):
    """Whether a module cannot be found because it, or what it is in, is not there."""
    return bool(missing) and (name == missing or name.startswith(missing + "."))
