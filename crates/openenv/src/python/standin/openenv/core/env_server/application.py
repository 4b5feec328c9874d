"""What stands where the web application would be."""

from types import SimpleNamespace
from typing import Any, List

from openenv._left_out import StandInError


class Application:
    """Takes whatever an environment's module does to its application, and serves nothing.

    The server in front of the worker has the routes. What the module adds to them, routes,
    middleware, handlers of events, has no effect; `ignored` lists it, for somebody to be told.
    """

    def __init__(self, server: Any = None):
        self.server = server
        self.ignored: List[str] = []
        # What people read, loop over or put things into.
        self.state = SimpleNamespace()
        self.router = self
        self.routes: list = []
        self.user_middleware: list = []
        self.exception_handlers: dict = {}
        self.dependency_overrides: dict = {}
        self.title = "OpenEnv Environment HTTP API"
        self.version = "1.0.0"
        self.openapi_schema = None

    def __getattr__(self, name: str) -> Any:
        # Special methods are how others find out what an object is: it is none of those.
        if name.startswith("__"):
            raise AttributeError(name)

        def ignore(*args: Any, **_options: Any) -> Any:
            what = [getattr(arg, "__name__", str(arg)) for arg in args[:1]]
            self.ignored.append(" ".join([name, *what]))
            return _unchanged

        return ignore

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        raise StandInError(
            "openenv.core.env_server.http_server",
            "the light stand-in of `openenv` has no web server; "
            'to run this application itself: pip install "openenv"',
        )


def _unchanged(function: Any) -> Any:
    """What `@app.get("/path")` does to a function."""
    return function
