"""What the stand-in does not have, and how it says so."""

from importlib.machinery import ModuleSpec

# The roots are enough: Python imports `a.b` before `a.b.c`.
LEFT_OUT = frozenset(
    {
        "openenv.auto",
        "openenv.cli",
        "openenv.discovery",
        "openenv.harbor",
        "openenv.validation",
        "openenv.core.containers.runtime._server_config",
        "openenv.core.containers.runtime.aca_provider",
        "openenv.core.containers.runtime.daytona_provider",
        "openenv.core.containers.runtime.hf_sandbox_provider",
        "openenv.core.containers.runtime.modal_provider",
        "openenv.core.containers.runtime.novita_provider",
        "openenv.core.containers.test_local_docker_provider",
        "openenv.core.env_server.gradio_theme",
        "openenv.core.env_server.gradio_ui",
        "openenv.core.evals",
        "openenv.core.harness",
        "openenv.core.llm_client",
        "openenv.core.rubrics.llm_judge",
        "openenv.core.tools",
    }
)


class StandInError(ImportError):
    """The program needs the real package; `name` is what it asked for.

    An `ImportError`, so that a package with a fallback of its own takes it. If that fails too, its
    error is the one that is seen; therefore `asked` keeps every name that was asked for.
    """

    asked = []

    def __init__(self, name, message=None):
        self.asked.append(name)
        super().__init__(
            message
            or f"{name} is not part of the light stand-in; "
            'install the real package: pip install "openenv"',
            name=name,
        )


class LeftOutFinder:
    """Finds the modules that are left out, in order to refuse them by name.

    A name that the real package does not have either is not found, as usual. Nothing is refused
    before it is loaded: to ask `importlib.util.find_spec` is allowed.
    """

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name in LEFT_OUT else None

    def create_module(self, spec):
        raise StandInError(spec.name)

    def exec_module(self, module):
        raise StandInError(module.__name__)


def left_out(module, *names, lenders=()):
    """The `__getattr__` of a module that lacks some names of the real one.

    Others the real one has only because it uses them; people import them from there all the same.
    Those come from the `lenders`.
    """

    def __getattr__(name):
        if name in names:
            raise StandInError(f"{module}.{name}")
        for lender in lenders if not name.startswith("_") else ():
            if name in vars(lender):
                return vars(lender)[name]
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__
