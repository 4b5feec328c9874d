"""What the stand-in does on its own account: it is light, inert, and says what it lacks."""

import asyncio
import importlib
import importlib.util
import sys
import unittest
import warnings
from types import SimpleNamespace

from support import STANDIN, standin

sys.path.append(str(STANDIN))

import openenv  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import openenv_core  # noqa: E402

from openenv.core import env_server  # noqa: E402
from openenv.core.env_server import (  # noqa: E402
    Action,
    Environment,
    HTTPEnvServer,
    Observation,
    State,
    create_app,
)


class Nothing(Environment):
    def reset(self, **kwargs):
        return Observation()

    def step(self, action, **kwargs):
        return Observation()

    @property
    def state(self):
        return State()


class Light(unittest.TestCase):
    def test_it_says_what_it_is(self):
        self.assertIs(openenv.STANDIN, True)
        self.assertEqual(openenv.__version__, "0.10.0+standin")

    def test_it_imports_pydantic_and_nothing_else(self):
        seen = standin("imports")
        for heavy in ("fastapi", "fastmcp", "starlette", "uvicorn", "gradio", "mcp"):
            self.assertNotIn(heavy, seen["all"])
        # `asyncio` alone takes as long as the stand-in.
        self.assertNotIn("asyncio", seen["all"])
        brought_by_pydantic = {
            "pydantic",
            "pydantic_core",
            "annotated_types",
            "typing_extensions",
            "typing_inspection",
        }
        self.assertLessEqual(set(seen["third party"]), brought_by_pydantic)


class LeftOut(unittest.TestCase):
    def refusal(self, module):
        with self.assertRaises(openenv.StandInError) as caught:
            importlib.import_module(module)
        return caught.exception

    def test_a_module_is_refused_by_name(self):
        error = self.refusal("openenv.core.llm_client")
        self.assertIsInstance(error, ImportError)
        self.assertEqual(error.name, "openenv.core.llm_client")
        self.assertEqual(
            str(error),
            "openenv.core.llm_client is not part of the light stand-in; "
            'install the real package: pip install "openenv"',
        )

    def test_so_is_what_is_inside(self):
        self.assertEqual(self.refusal("openenv.core.harness.tools").name, "openenv.core.harness")
        self.assertEqual(self.refusal("openenv_core.tools").name, "openenv.core.tools")

    def test_so_is_a_name(self):
        with self.assertRaises(openenv.StandInError) as caught:
            from openenv.core.rubrics import LLMJudge  # noqa: F401
        self.assertEqual(caught.exception.name, "openenv.core.rubrics.LLMJudge")
        with self.assertRaises(openenv.StandInError):
            from openenv import AutoEnv  # noqa: F401
        with self.assertRaises(openenv.StandInError):
            from openenv.core import LLMClient  # noqa: F401

    def test_it_is_remembered_where_a_fallback_hides_it(self):
        with self.assertRaises(ModuleNotFoundError) as caught:
            try:
                importlib.import_module("openenv.core.evals")
            except ImportError:
                importlib.import_module("no_such_fallback")
        self.assertEqual(caught.exception.name, "no_such_fallback")
        self.assertIn("openenv.core.evals", openenv.StandInError.asked)

    def test_to_ask_is_allowed(self):
        self.assertIsNotNone(importlib.util.find_spec("openenv.cli"))
        self.assertFalse(hasattr(openenv.core.rubrics, "no_such_name"))

    def test_what_nobody_has_is_not_found_as_usual(self):
        for module in ("openenv.core.models", "openenv_core.models", "openenv.nothing"):
            with self.assertRaises(ModuleNotFoundError):
                importlib.import_module(module)


class OldName(unittest.TestCase):
    def test_its_modules_are_the_same_ones(self):
        for name in ("env_server", "env_server.types", "rubrics.base", "client_types"):
            old = importlib.import_module(f"openenv_core.{name}")
            new = importlib.import_module(f"openenv.core.{name}")
            self.assertIs(old, new)
            self.assertEqual(new.__name__, f"openenv.core.{name}")
            self.assertEqual(new.__spec__.name, f"openenv.core.{name}")
        self.assertIs(openenv_core.Action, Action)
        self.assertIs(openenv_core.env_server, env_server)

        from openenv_core.containers.runtime import LocalDockerProvider  # noqa: F401


class Clients(unittest.TestCase):
    def test_they_can_be_derived_from_but_not_made(self):
        from openenv.core import EnvClient, MCPToolClient, SyncEnvClient
        from openenv.core.client_types import StepResult
        from openenv.core.containers.runtime import LocalDockerProvider, UVProvider

        class Typed(EnvClient[Action, Observation, State]):
            def __init__(self, base_url):
                super().__init__(base_url)

            def _step_payload(self, action):
                return {}

            def _parse_result(self, payload) -> StepResult[Observation]:
                return StepResult(Observation(), reward=1.0)

            def _parse_state(self, payload):
                return State()

        class Tools(MCPToolClient):
            pass

        SyncEnvClient[Action, Observation, State]
        for make in (
            lambda: Typed("http://localhost"),
            lambda: Typed.from_docker_image("image"),
            lambda: Typed.from_env("owner/name"),
            lambda: Tools("http://localhost"),
            lambda: SyncEnvClient(None),
            lambda: openenv.GenericEnvClient(base_url="http://localhost"),
            LocalDockerProvider,
            UVProvider,
        ):
            with self.assertRaises(openenv.StandInError) as caught:
                make()
            self.assertIn('pip install "openenv"', str(caught.exception))
        self.assertEqual(openenv.GenericAction(a=1), {"a": 1})
        self.assertEqual(repr(openenv.GenericAction(a=1)), "GenericAction(a=1)")


class Inert(unittest.TestCase):
    def test_an_application_takes_everything(self):
        app = create_app(Nothing, Action, Observation)

        @app.get("/page")
        @app.exception_handler(ValueError)
        @app.on_event("startup")
        async def page():
            return 1

        self.assertEqual(asyncio.run(page()), 1)
        app.include_router(SimpleNamespace(__name__="pages"), prefix="/x")
        app.mount("/static", object(), name="static")
        app.add_middleware(Nothing, allow_origins=["*"])
        app.router.add_api_route("/y", page)
        app.state.anything = 7
        app.openapi = lambda: {}
        self.assertEqual(app.state.anything, 7)
        self.assertEqual([*app.routes, *app.router.routes], [])
        self.assertEqual(
            app.ignored,
            [
                "get /page",
                "exception_handler ValueError",
                "on_event startup",
                "include_router pages",
                "mount /static",
                "add_middleware Nothing",
                "add_api_route /y",
            ],
        )

    def test_it_does_not_serve(self):
        app = create_app(Nothing, Action, Observation)
        with self.assertRaises(openenv.StandInError):
            asyncio.run(app({"type": "http"}, None, None))

    def test_the_server_behind_it_knows_what_was_said(self):
        server = create_app(
            Nothing, Action, Observation, "name", max_concurrent_envs=8, mode="PRODUCTION"
        ).server
        self.assertIsInstance(server, HTTPEnvServer)
        self.assertIs(server._env_factory, Nothing)
        self.assertEqual(server.env_name, "name")
        # Nothing says that it supports eight sessions; each will have a process of its own.
        self.assertEqual(server.max_concurrent_envs, 8)
        self.assertEqual(server.mode, env_server.ServerMode.PRODUCTION)

    def test_a_factory_is_not_called(self):
        def factory():
            raise AssertionError("called")

        create_app(factory, Action, Observation, max_concurrent_envs=2)
        env_server.create_web_interface_app(factory, Action, Observation)
        env_server.WebInterfaceManager(factory, Action, Observation)

    def test_a_subclass_has_what_it_needs(self):
        class Server(HTTPEnvServer):
            pass

        server = Server(env=Nothing, action_cls=Action, observation_cls=Observation)
        server.register_routes(object())
        result = asyncio.run(server._run_sync_in_thread_pool(lambda a, b: a + b, 1, b=2))
        self.assertEqual(result, 3)
        self.assertEqual(server.active_sessions, 0)


if __name__ == "__main__":
    unittest.main()
