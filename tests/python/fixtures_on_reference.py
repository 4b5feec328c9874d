"""Serves every Python fixture with the reference and records what it answers.

    python fixtures_on_reference.py [--check] [NAME ...]

Run it with an interpreter that has `openenv` 0.10.0. Each fixture is served twice, by uvicorn on a
free loopback port, and driven through the same exchanges; what differs between the two has to be
declared volatile. The result is `expected/<name>.json` beside the fixtures, whose README describes
the format. With `--check` nothing is written: the answers have to be those of the files.
"""

import argparse
import contextlib
import copy
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

# Loopback must not take the way through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

FIXTURES = Path(__file__).parents[2] / "crates/openenv/tests/fixtures/python"
EXPECTED = FIXTURES / "expected"
READY_WITHIN_SECONDS = 120
ATTEMPTS = 3
AT_ONCE = 2


@dataclass
class Exchange:
    """One thing to send. `volatile` are JSON pointers into the answer."""

    transport: str
    send: Any
    volatile: list[str] = field(default_factory=list)
    wait_ms: int = 0
    connection: Optional[str] = None
    query: Optional[str] = None
    bind: dict[str, str] = field(default_factory=dict)
    defect: Optional[str] = None


@dataclass
class Fixture:
    """`module` is what uvicorn serves; `package` names the directory as a package, if it is one."""

    directory: str
    exchanges: list[Exchange]
    module: str = "server.app"
    package: Optional[str] = None
    path: str = "."
    target: Optional[str] = None
    glue: Optional[str] = None
    environment: dict[str, str] = field(default_factory=dict)
    volatile_metadata: list[str] = field(default_factory=list)


def ws(type_: str, data: Optional[dict[str, Any]] = None, **rest: Any) -> Exchange:
    frame = {"type": type_} if data is None else {"type": type_, "data": data}
    return Exchange("ws", frame, **rest)


def reset(*volatile: str, **data: Any) -> Exchange:
    return ws("reset", data, volatile=list(volatile))


def step(*volatile: str, **action: Any) -> Exchange:
    return ws("step", action, volatile=list(volatile))


def state(*volatile: str) -> Exchange:
    return ws("state", volatile=list(volatile))


def close() -> Exchange:
    return ws("close")


def refusal() -> Exchange:
    """What comes without being asked for."""
    return Exchange("ws", None)


def get(path: str, *volatile: str) -> Exchange:
    return Exchange("http", {"method": "GET", "path": path}, list(volatile))


def post(path: str, body: Any, *volatile: str) -> Exchange:
    return Exchange("http", {"method": "POST", "path": path, "json": body}, list(volatile))


def rpc(method: str, params: Optional[dict[str, Any]] = None, **rest: Any) -> Exchange:
    return Exchange("mcp", _request(method, params), **rest)


def rpc_frame(method: str, params: Optional[dict[str, Any]] = None, **rest: Any) -> Exchange:
    return ws("mcp", _request(method, params), **rest)


def call(tool: str, **arguments: Any) -> Exchange:
    return step(type="call_tool", tool_name=tool, arguments=arguments)


def _request(method: str, params: Optional[dict[str, Any]]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def on(connection: str, exchange: Exchange, query: Optional[str] = None) -> Exchange:
    exchange.connection, exchange.query = connection, query
    return exchange


def defect(why: str, exchange: Exchange) -> Exchange:
    exchange.defect = why
    return exchange


def after(milliseconds: int, exchange: Exchange) -> Exchange:
    exchange.wait_ms = milliseconds
    return exchange


def stateless(action: dict[str, Any], *volatile: str) -> list[Exchange]:
    """The HTTP routes, each of which answers from an environment of its own."""
    return [
        get("/list_environments"),
        post("/reset", {}, *volatile),
        post("/step", {"action": action}, *volatile),
        post("/step", {"action": action | {"no_such_field": 1}}),
        get("/state"),
    ]


REFUSED = step(no_such_field=True)

PROBES = {
    "asyncenv": [
        *stateless({"x": 1}),
        reset(seed=4, ignored=True),
        step(x=3),
        step(x="7"),
        step(x="seven"),
        state(),
    ],
    "echo": [
        *stateless({"message": "hi", "amount": 2}),
        reset(seed=7, episode_id="e-1", level=3),
        step(message="hello", amount=2),
        step(message="hello", mode="upper"),
        *(
            step(message=message)
            for message in (
                "raise",
                "raise-empty",
                "valerr",
                "reward:int",
                "reward:bool",
                "reward:none",
                "reward:nan",
                "reward:inf",
                "reward:big",
                "meta",
                "types",
                "bytes",
                "badbytes",
                "obj",
                "nanpayload",
                "done",
            )
        ),
        step(message="", amount=11, mode="loud"),
        state(),
        reset(explode=True),
        ws("bogus", {}),
        close(),
    ],
    "mcpenv": [
        post("/reset", {}),
        post("/step", {"action": {"type": "list_tools"}}),
        post("/step", {"action": {"tool_name": "add", "arguments": {"a": 2}}}),
        rpc("tools/list"),
        rpc("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}}),
        rpc("tools/call", {"name": "as_untyped_list", "arguments": {"n": 2}}),
        rpc("tools/call", {"name": "as_none"}),
        rpc("tools/call", {"name": "fails"}),
        rpc("tools/call", {"name": "absent"}),
        reset(),
        step(type="list_tools"),
        call("add", a=1, b=2),
        call("as_dict", x=1),
        call("fails", msg="file not found"),
        call("absent"),
        call("lookup", q="a"),
        call("everywhere", z=4),
        call("counter"),
        call("counter"),
        call("env_counter"),
        rpc_frame("tools/call", {"name": "counter", "arguments": {}}),
        state(),
    ],
    "mcpserveronly": [
        rpc("tools/list"),
        rpc("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}}),
        rpc("tools/call", {"name": "bad", "arguments": {}}),
        rpc("tools/call", {"name": "absent", "arguments": {}}),
        reset(),
        step(),
        rpc_frame("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}}),
        state(),
    ],
    "mcpstyle": [
        rpc("tools/list"),
        rpc("tools/call", {"name": "ping", "arguments": {"a": 1}}),
        rpc("tools/call", {"name": "wrong", "arguments": {}}),
        rpc("tools/call", {"name": "raise", "arguments": {}}),
        reset(seed=3),
        step(type="list_tools"),
        call("ping", deep={"a": [1]}),
        call("raise"),
        rpc_frame("tools/call", {"name": "ping", "arguments": {}}),
        state(),
    ],
    "plain": [
        *stateless({"x": 1}),
        reset(seed=1, episode_id="unused"),
        step(x=41),
        REFUSED,
        state(),
        on("second", refusal()),
    ],
    "single": [*stateless({"s": 0}), reset(), step(s=0), step(), state()],
    "tasks": [
        get("/list_environments"),
        get("/Task_Env/splits"),
        get("/task_env/splits"),
        get("/other/splits"),
        *(
            post(f"/task_env/{route}", {"split": split} | more)
            for split in ("train", "boom", "ni", "keyerr")
            for route, more in (("tasks", {}), ("num_tasks", {}), ("task", {"index": 1}))
        ),
        post("/task_env/task", {"split": "train", "index": 9}),
        post("/task_env/task_range", {"split": "train", "start": 1}),
        post("/task_env/task", {"split": "train"}),
        reset(split="train", index=2),
        step(),
        state(),
    ],
}

OBSERVE = "/data/observation/"
THREADS = [OBSERVE + name for name in ("factory_thread", "reset_thread", "this_thread")]

PACKAGES = [
    Fixture(
        "script_entry",
        [
            *stateless({"row": 1, "column": 1}),
            reset(seed=0b010111010, episode_id="cross"),
            step(row=0, column=0),
            step(row=0, column=0),
            step(row=3, column=0),
            state(),
            step(row=1, column=1),
            state(),
        ],
        module="lamps.server.app",
        package="lamps",
    ),
    Fixture(
        "manifest_only",
        [
            *stateless({"level": 2}),
            reset(episode_id="winter", celsius=18.5, unknown="dropped"),
            step(level=3),
            step(level=1),
            step(level=1),
            step(level=4),
            state(),
            on("second", refusal()),
        ],
    ),
    Fixture(
        "bare",
        [
            *stateless({"source": "left", "target": "right"}),
            reset(episode_id="two"),
            step(source="left", target="middle"),
            step(source="left", target="middle"),
            step(source="right", target="left"),
            step(source="left", target="right"),
            state(),
            step(source="middle", target="right"),
            reset(discs="three"),
        ],
    ),
    Fixture(
        "src_layout",
        [
            *stateless({"commands": "RF"}),
            reset(seed=1, episode_id="drive"),
            step(commands="FF"),
            step(commands="LFF"),
            step(commands="BACK"),
            step(commands="RFFLFFF"),
            state(),
        ],
        module="rover.server.app",
        path="src",
    ),
    Fixture(
        "function_factory",
        [
            *stateless({"kind": "buy"}),
            reset(episode_id="thirsty"),
            step(kind="insert", cents=50),
            step(kind="buy"),
            step(kind="insert"),
            step(kind="insert", cents=0),
            step(kind="insert", cents=100),
            step(kind="buy"),
            step(kind="cancel"),
            state(),
        ],
        module="vending.server.app",
        package="vending",
        environment={"VENDING_PRICE": "95", "VENDING_STOCK": "3"},
    ),
    Fixture(
        "partial_factory",
        [
            *stateless({}),
            reset(seed=1, episode_id="slip"),
            step(),
            step(direction="right"),
            step(direction="left"),
            step(direction="up"),
            step(),
            step(),
            step(),
            state(),
        ],
    ),
    Fixture(
        "fastapi_app",
        [
            *stateless({"counter": 1}),
            reset(seed=0, episode_id="monday"),
            step(counter=1),
            step(counter=1),
            step(counter="1"),
            step(counter=3),
            state(),
        ],
    ),
    Fixture(
        "http_env_server",
        [
            *stateless({"arm": 0}),
            reset(seed=1, episode_id="lucky"),
            step(arm=1),
            step(arm=1),
            step(arm=2),
            step(arm=3),
            state(),
        ],
    ),
    Fixture(
        "subclass_in_lifespan",
        [
            *stateless({"day": 1, "what": "sow"}),
            reset(episode_id="spring"),
            step(day=1, what="sow"),
            step(day=3, what="sow"),
            step(day=8, what=""),
            state(),
        ],
    ),
    Fixture(
        "wrapped",
        [
            *stateless({"towards": "right"}),
            reset(episode_id="dig"),
            step(towards="right"),
            step(towards="right"),
            step(towards="down"),
            state(),
            step(towards="up"),
            step(towards="nowhere"),
        ],
        module="burrow.server.app",
        package="burrow",
    ),
    Fixture(
        "legacy_core",
        [
            *stateless({"letter": "a"}),
            reset(seed=2, episode_id="rope"),
            step(letter="b"),
            step(letter="x"),
            step(letter="x"),
            step(letter="XY"),
            state(),
        ],
    ),
    Fixture(
        "gradio_at_top",
        [
            *stateless({"blue": 64}),
            reset(seed=300, episode_id="mix"),
            step(red=44),
            step(blue=300),
            step(green=1, blue=64),
            state(),
        ],
    ),
    Fixture(
        "async_methods",
        [
            *stateless({"celsius": 20}),
            reset(episode_id="bread", celsius=30),
            step(celsius=230),
            after(1500, state()),
            step(celsius=230),
            step(celsius=10),
            step(celsius=100),
            after(1500, step(celsius=100)),
            state(),
        ],
    ),
    Fixture(
        "mcp_tools",
        [
            get("/list_environments"),
            post("/reset", {"seed": 5}),
            post("/step", {"action": {"type": "list_tools"}}),
            post("/step", {"action": {"tool_name": "price", "arguments": {"centimetres": 10}}}),
            rpc("tools/list"),
            rpc("tools/call", {"name": "cut", "arguments": {"centimetres": 50}}),
            rpc("tools/call", {"name": "cut", "arguments": {"centimetres": 5000}}),
            rpc("tools/call", {"name": "cut", "arguments": {"centimetres": "long"}}),
            rpc("tools/call", {"name": "sand", "arguments": {"passes": 3}}),
            rpc("tools/call", {"name": "order", "arguments": {"what": "oak"}}),
            rpc("openenv/session/create", bind={"/result/session_id": "SESSION"}),
            *(
                rpc("tools/call", {"name": name, "arguments": {}, "session_id": "${SESSION}"})
                for name in ("visits", "visits", "planks")
            ),
            on("attached", reset(seed=1, episode_id="joined"), "session_id=${SESSION}"),
            on("attached", call("cut", centimetres=40, count=2)),
            rpc(
                "tools/call",
                {"name": "measure", "arguments": {"index": 1}, "session_id": "${SESSION}"},
            ),
            on("attached", state()),
            on("attached", close()),
            rpc("openenv/session/close", {"session_id": "${SESSION}"}),
            rpc("openenv/session/close", {"session_id": "${SESSION}"}),
            reset(episode_id="shelf"),
            step(type="list_tools"),
            call("cut", centimetres=60, count=3),
            call("planks"),
            call("build", boards=2, label="low"),
            call("measure", index=0),
            call("measure", index=7),
            call("sand", passes=2),
            call("visits"),
            call("visits"),
            rpc_frame("tools/call", {"name": "visits", "arguments": {}}),
            rpc_frame("tools/list"),
            call("order", what="oak"),
            call("price", centimetres=10),
            call("cut", centimetres=-1, count="many"),
            call("saw"),
            state(),
        ],
    ),
    Fixture(
        "single_thread",
        [
            get("/list_environments"),
            reset(*THREADS, episode_id="books"),
            step(*THREADS, account="baker", cents=250),
            step(*THREADS, account="miller", cents=-100),
            step(*THREADS, account="baker", cents=50),
            on("second", reset(*THREADS, episode_id="others")),
            on("second", step(*THREADS, account="smith", cents=5)),
            step(account="baker", cents="much"),
            state(),
            close(),
        ],
    ),
    Fixture(
        "not_concurrent",
        [
            *stateless({"letters": "ab"}, "/json/observation/pid"),
            reset(OBSERVE + "pid", episode_id="first"),
            step(OBSERVE + "pid", letters="foo"),
            step(OBSERVE + "pid", letters="bar"),
            state(),
            close(),
            on("second", reset(OBSERVE + "pid", episode_id="second")),
            on("second", step(OBSERVE + "pid", letters="z")),
        ],
    ),
    Fixture(
        "tasks_split",
        [
            get("/list_environments"),
            get("/quiz/splits"),
            post("/quiz/tasks", {"split": "train"}),
            post("/quiz/num_tasks", {"split": "test"}),
            post("/quiz/task", {"split": "test", "index": 1}),
            post("/quiz/task", {"split": "test", "index": -1}),
            post("/quiz/task", {"split": "test", "index": 5}),
            post("/quiz/task_range", {"split": "train", "start": 1, "stop": 3}),
            post("/quiz/task_range", {"split": "train"}),
            post("/quiz/tasks", {"split": "absent"}),
            reset(episode_id="exam", split="test", index=1),
            step(value=17),
            step(value=18),
            state(),
            reset(split="test", index=5),
        ],
    ),
    Fixture(
        "typed_state",
        [
            *stateless({"direction": {"altitude": 45, "azimuth": 90}}),
            reset(seed=1, episode_id="dropped"),
            step(direction={"altitude": 45, "azimuth": 90}, exposure=3),
            step(direction={"altitude": 60, "azimuth": 180}, filter="blue", repeat=2),
            step(direction={"altitude": 1.5, "azimuth": 0}, exposure="auto"),
            step(direction={"altitude": 91, "azimuth": "west"}, filter="green", exposure="long"),
            state(),
            defect(
                "a validator's ValueError cannot be serialised and ends the session",
                on("field", step(direction={"altitude": 45, "azimuth": 90}, repeat=13)),
            ),
            defect(
                "a validator's ValueError cannot be serialised and ends the session",
                on("whole", step(direction={"altitude": 5, "azimuth": 90}, filter="blue")),
            ),
            defect(
                "a validator's ValueError cannot be serialised",
                post(
                    "/step",
                    {"action": {"direction": {"altitude": 45, "azimuth": 90}, "repeat": 13}},
                ),
            ),
        ],
    ),
    Fixture(
        "plain_object",
        [
            *stateless({"direction": "east"}),
            reset(episode_id="house"),
            step(direction="east"),
            step(direction="north"),
            step(direction="down"),
            step(direction="sideways"),
            state(),
        ],
        module="serve_world",
        target="world:World",
        glue=(
            "from openenv.core.env_server import create_app\n"
            "from world import MoveAction, MoveObservation, World, WorldState\n"
            "app = create_app(World, MoveAction, MoveObservation, state_cls=WorldState)\n"
        ),
    ),
    Fixture(
        "faults",
        [
            *stateless({}, "/json/observation/pid"),
            reset(OBSERVE + "pid", episode_id="bad"),
            step(OBSERVE + "pid"),
            *(
                step(fault=fault)
                for fault in (
                    "raise",
                    "raise_empty",
                    "raise_validation",
                    "return_none",
                    "return_dict",
                    "return_object",
                    "return_bad_bytes",
                    "return_cycle",
                    "no_such_fault",
                )
            ),
            step("/data/message", fault="raise_recursion"),
            *(
                step(OBSERVE + "pid", fault=fault, lines=3)
                for fault in (
                    "print_stdout",
                    "print_stderr",
                    "print_descriptor",
                    "print_subprocess",
                    "return_nan",
                    "read_stdin",
                )
            ),
            *(
                step(OBSERVE + "pid", fault=fault, seconds=0.05)
                for fault in ("hang_sleep", "hang_loop", "hang_await", "hang_holding_gil")
            ),
            *(
                step(OBSERVE + "pid", OBSERVE + "child", fault=fault, seconds=0.05)
                for fault in ("fork_child", "fork_daemon", "spawn_session")
            ),
            step(OBSERVE + "pid", fault="memory", megabytes=32),
            state(),
            reset(fault="raise"),
            step(OBSERVE + "pid", fault="state_raises"),
            state(),
            step(OBSERVE + "pid", fault="close_slow", seconds=0.1),
            close(),
            on("second", reset(OBSERVE + "pid")),
            on("second", step(OBSERVE + "pid", fault="close_raises")),
            on("second", close()),
            on("third", reset(OBSERVE + "pid")),
            *(
                defect("the session ends", on(fault, step(fault=fault)))
                for fault in (
                    "raise_unprintable",
                    "raise_base_exception",
                    "raise_system_exit",
                    "raise_keyboard_interrupt",
                    "raise_cancelled",
                )
            ),
            on("third", state()),
        ],
    ),
]

EPISODE = "/json/episode_id"
SCAFFOLDS = [
    Fixture(
        name,
        [
            get("/list_environments"),
            post("/reset", {}),
            post("/step", {"action": {"message": "hi"}}),
            get("/state", EPISODE),
            reset(episode_id="scaffold"),
            step(message="hello"),
            step(message="a long message"),
            REFUSED,
            state(),
        ],
        module=f"{name}.server.app",
        package=name,
    )
    for name in ("hello_env", "lighthouse")
]


def all_fixtures() -> dict[str, Fixture]:
    fixtures = {
        f"probe_{name}": Fixture("probes", exchanges, module=name, target=f"{name}:app")
        for name, exchanges in PROBES.items()
    }
    for folder, group in (("packages", PACKAGES), ("scaffolds", SCAFFOLDS)):
        for fixture in group:
            name = fixture.directory
            fixture.directory = f"{folder}/{name}"
            fixtures[name] = fixture
    return fixtures


class EndedEarly(RuntimeError):
    pass


@contextlib.contextmanager
def served(fixture: Fixture) -> Iterator[int]:
    """The fixture on the reference; gives the port."""
    with tempfile.TemporaryDirectory() as links, tempfile.TemporaryFile() as log:
        root = scaffold(fixture, Path(links)) or (FIXTURES / fixture.directory).resolve()
        if fixture.package:
            # What `package-dir` of pyproject.toml says, without installing.
            os.symlink(root, Path(links) / fixture.package)
        if fixture.glue:
            (Path(links) / f"{fixture.module}.py").write_text(fixture.glue)
        variables = {k: v for k, v in os.environ.items() if k != "OPENENV_MODE"}
        variables |= {
            "PYTHONPATH": os.pathsep.join([str(root / fixture.path), str(root), links]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ENABLE_WEB_INTERFACE": "false",
        }
        for attempt in range(ATTEMPTS):
            try:
                process, port = _start(fixture.module, root, variables | fixture.environment, log)
                break
            except EndedEarly:
                # Another process may have taken the port in between.
                if attempt == ATTEMPTS - 1:
                    raise
        try:
            yield port
            if process.poll() is not None:
                raise RuntimeError(f"the server ended by itself:\n{_text(log)}")
        finally:
            process.kill()
            process.wait()


def scaffold(fixture: Fixture, directory: Path) -> Path | None:
    """What `openenv init` writes, if that is what the fixture is: it is not ours to keep."""
    folder, _, name = fixture.directory.partition("/")
    if folder != "scaffolds":
        return None
    home = directory / "made"
    home.mkdir()
    init = [str(Path(sys.executable).with_name("openenv")), "init", name, "-o", str(home)]
    subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
    return home / name


def _start(
    module: str, root: Path, variables: dict[str, str], log: Any
) -> tuple[subprocess.Popen, int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", f"{module}:app", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--log-level", "warning"],
        cwd=root,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        with contextlib.suppress(OSError):
            if _http(port, "GET", "/health")["status"] == 200:
                return process, port
        if process.poll() is not None:
            raise EndedEarly(f"the server ended with {process.returncode}:\n{_text(log)}")
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise TimeoutError(f"the server did not become healthy:\n{_text(log)}")
        time.sleep(0.1)


def _text(log: Any) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")


def _http(port: int, method: str, path: str, body: Any = None) -> dict[str, Any]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, content = answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        status, content = answer.code, answer.read()
    try:
        return {"status": status, "json": json.loads(content)}
    except ValueError:
        return {"status": status, "text": content.decode()}


class Driver:
    """Plays exchanges against one server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._sockets: dict[str, ClientConnection] = {}
        self._open = contextlib.ExitStack()
        self._bound: dict[str, str] = {}

    def play(self, exchange: Exchange) -> Any:
        time.sleep(exchange.wait_ms / 1000)
        send = self._fill(exchange.send)
        if exchange.transport == "http":
            answer = _http(self._port, send["method"], send["path"], send.get("json"))
        elif exchange.transport == "mcp":
            answer = _http(self._port, "POST", "/mcp", send)["json"]
        else:
            answer = self._frame(exchange, send)
        for pointer, name in exchange.bind.items():
            self._bound[name] = look_up(answer, pointer)
        return self._name(answer)

    def close(self) -> None:
        self._open.close()

    def _frame(self, exchange: Exchange, send: Any) -> Any:
        name = exchange.connection or "first"
        if name not in self._sockets:
            query = f"?{self._fill(exchange.query)}" if exchange.query else ""
            url = f"ws://127.0.0.1:{self._port}/ws{query}"
            socket_ = connect(url, max_size=None, proxy=None)
            self._sockets[name] = self._open.enter_context(socket_)
        sock = self._sockets[name]
        try:
            if send is not None:
                sock.send(json.dumps(send))
            return json.loads(sock.recv(timeout=30))
        except ConnectionClosed as closed:
            return {"closed": closed.rcvd.code if closed.rcvd else None}

    def _fill(self, value: Any) -> Any:
        text = json.dumps(value)
        for name, bound in self._bound.items():
            text = text.replace("${" + name + "}", bound)
        return json.loads(text)

    def _name(self, value: Any) -> Any:
        """The other way round: names in the place of what they are bound to."""
        text = json.dumps(value)
        for name, bound in self._bound.items():
            text = text.replace(bound, "${" + name + "}")
        return json.loads(text)


def look_up(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def blank(value: Any, pointer: str) -> None:
    """Puts the empty value of the same type in the place."""
    parent, _, last = pointer.rpartition("/")
    holder = look_up(value, parent)
    key = int(last) if isinstance(holder, list) else last
    holder[key] = type(holder[key])() if holder[key] is not None else None


def links_to_pydantic(value: Any, pointer: str = "") -> Iterator[str]:
    """Where an error links to the documentation of the installed version of pydantic."""
    if isinstance(value, str) and re.match(r"https://errors\.pydantic\.dev/", value):
        yield pointer
    elif isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from links_to_pydantic(item, f"{pointer}/{key}")


def record(fixture: Fixture) -> dict[str, Any]:
    with served(fixture) as port, contextlib.closing(Driver(port)) as driver:
        rows = []
        for exchange in fixture.exchanges:
            answer = driver.play(exchange)
            volatile = [*exchange.volatile, *links_to_pydantic(answer)]
            expect = copy.deepcopy(answer)
            try:
                for pointer in volatile:
                    blank(expect, pointer)
            except (KeyError, IndexError, TypeError) as error:
                raise RuntimeError(
                    f"no {pointer} in the answer to {exchange.send}: {answer}"
                ) from error
            row: dict[str, Any] = {"transport": exchange.transport}
            for name in ("connection", "query", "wait_ms", "defect"):
                if getattr(exchange, name):
                    row[name] = getattr(exchange, name)
            row |= {"send": exchange.send, "expect": expect, "volatile": volatile}
            if exchange.bind:
                row["bind"] = exchange.bind
            rows.append(row)
        return {
            "fixture": fixture.directory,
            "target": fixture.target or ".",
            "environment": fixture.environment,
            "schema": _http(port, "GET", "/schema")["json"],
            "metadata": _http(port, "GET", "/metadata")["json"],
            "exchanges": rows,
        }


def record_twice(name: str, fixture: Fixture) -> dict[str, Any]:
    first, second = record(fixture), record(fixture)
    for one, other in zip(first["exchanges"], second["exchanges"], strict=True):
        if one != other:
            raise RuntimeError(f"{name} is not deterministic:\n{one}\n{other}")
    if first != second:
        raise RuntimeError(f"{name}: the schema or the metadata changes from run to run")
    return first


def text_of(recording: dict[str, Any]) -> str:
    """One exchange per line, so that a difference is a line."""
    exchanges = ",\n".join(
        "    " + json.dumps(row, ensure_ascii=False) for row in recording["exchanges"]
    )
    head = {key: value for key, value in recording.items() if key != "exchanges"}
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in head.items()
    ]
    return "{\n" + ",\n".join(lines) + f',\n  "exchanges": [\n{exchanges}\n  ]\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    parser.add_argument("names", nargs="*", help="some of the fixtures instead of all")
    arguments = parser.parse_args()
    fixtures = all_fixtures()
    unknown = set(arguments.names) - set(fixtures)
    if unknown:
        parser.error(f"no such fixture: {', '.join(sorted(unknown))}")

    def one(name: str) -> Optional[str]:
        path = EXPECTED / f"{name}.json"
        try:
            text = text_of(record_twice(name, fixtures[name]))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            return "the answers are not those of the file"
        return None

    EXPECTED.mkdir(exist_ok=True)
    names = arguments.names or list(fixtures)
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name, problem in zip(names, pool.map(one, names), strict=True):
            print(f"{name}: {problem or 'ok'}", flush=True)
            failed += problem is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
