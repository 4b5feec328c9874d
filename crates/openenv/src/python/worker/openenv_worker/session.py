"""A session: one environment, one thread, one call at a time.

The thread waits for calls. If the environment has coroutines, or tools that
answer to them, it waits in a loop of its own, so that what the environment left
running goes on between the calls; a call that is no coroutine finds no running
loop, as in any other thread.
"""

import inspect
import json
import queue
import sys
import threading

from . import answer, system
from .application import traits
from .link import to_json
from .output import session_number
from .protocol import (
    ABOUT,
    CLOSE,
    OK,
    OPEN,
    OPTIONS,
    PROGRESS,
    RESET,
    STATE,
    STEP,
    TASK_INDEX,
    TASKS,
    TOOL,
    TOOLS,
    UNSUPPORTED,
    VIEW,
)
from .tools import tools_of


class Cancelled(BaseException):
    """Raised in the middle of a call that has to end."""


class Session:
    def __init__(self, number, mode, application, link):
        self.number = number
        self.mode = mode
        self.application = application
        self.link = link
        self.environment = None
        self.tools = None
        self._inbox = queue.SimpleQueue()
        self._thread = None
        self._loop = None
        self._bell = None
        # What runs now, and how to end it; the lock is held while either changes.
        self._running = None
        self._task = None
        self._disturbed = False
        self._over = False
        self._guard = threading.Lock()
        self._accepted = {}
        # What the environment said last: what people are shown is made of it.
        self._seen = None
        self._perform = {
            OPEN: self._open,
            RESET: self._reset,
            STEP: self._step,
            STATE: self._state,
            TOOL: self._tool,
            TOOLS: self._list_tools,
            TASKS: self._tasks,
            ABOUT: self._about,
            VIEW: self._view,
            CLOSE: self._close,
        }

    def hand(self, job):
        """Called by the thread that reads: the next thing to do."""
        self._inbox.put(job)
        if self._over:
            self._answer_rest()
        loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._bell.set)
            except RuntimeError:
                # The loop has ended, and so has the session.
                pass

    def run(self):
        """The life of the session's thread."""
        try:
            self._live()
        finally:
            # Set first: whoever hands something over after this sees it.
            self._over = True
            self._answer_rest()

    def _answer_rest(self):
        """What came too late: there is nothing left to close, or to call."""
        while True:
            try:
                call, kind, _, _ = self._inbox.get_nowait()
            except queue.Empty:
                return
            if kind == CLOSE:
                self.link.send(OK, b"null", session=self.number, call=call)
            else:
                self._refuse(RuntimeError("the session is closed"), call)

    def _live(self):
        self._thread = threading.get_ident()
        session_number.set(self.number)
        kind = OPEN
        while kind != CLOSE:
            try:
                call, kind, flag, payload = self._next()
            except BaseException as error:
                # Something that the environment left running ended like this.
                answer.log(self.link, error, self.number)
                continue
            try:
                with self._guard:
                    self._running = call
                try:
                    reply = self._perform[kind](flag, payload)
                finally:
                    self._settle()
                self.link.send(OK, reply, session=self.number, call=call)
            except BaseException as error:
                # SystemExit and the like end this call, not the worker.
                self._refuse(error, call)
            if kind == OPEN and self.environment is None:
                break
        self._end()

    def cancel(self, call, firmly):
        """Called by the thread that reads: ends a call that still runs, if it can be ended."""
        with self._guard:
            if self._running != call:
                return
            if self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
            elif firmly:
                self._disturbed = True
                system.raise_in(self._thread, Cancelled)

    def _settle(self):
        """After this, nothing is raised in this thread from outside."""
        while True:
            try:
                with self._guard:
                    self._running = None
                    if self._disturbed:
                        system.raise_in(self._thread, None)
                        self._disturbed = False
                return
            except Cancelled:
                pass

    def _refuse(self, error, call):
        if isinstance(error, Unsupported):
            self.link.send(UNSUPPORTED, session=self.number, call=call)
        elif isinstance(error, TaskIndex):
            self.link.send(TASK_INDEX, session=self.number, call=call)
        else:
            answer.refuse(self.link, error, self.number, call)

    def _next(self):
        if self._loop is None:
            return self._inbox.get()
        # Looked for out here: what is taken in a task that comes to nothing is lost.
        while True:
            try:
                return self._inbox.get_nowait()
            except queue.Empty:
                self._loop.run_until_complete(self._bell.wait())
                self._bell.clear()

    def _await(self, coroutine):
        """Runs a coroutine on the session's loop, where it can be cancelled."""
        import asyncio

        task = self._loop.create_task(coroutine)
        with self._guard:
            self._task = task
        try:
            return self._loop.run_until_complete(task)
        except asyncio.CancelledError:
            raise Cancelled from None
        finally:
            with self._guard:
                self._task = None

    def _call(self, method, /, *arguments, **keywords):
        """Calls a method that may or may not be a coroutine, with keywords of any name."""
        result = method(*arguments, **keywords)
        if inspect.isawaitable(result):
            self._start_loop()
            return self._await(wait_for(result))
        return result

    def _start_loop(self):
        if self._loop is not None:
            return
        import asyncio

        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        self._bell = asyncio.Event()
        self._loop = loop
        # Frames that came before the loop was there.
        loop.call_soon(self._bell.set)

    def _open(self, flag, payload):
        self.environment = self.application.factory()
        try:
            self._prepare()
        except BaseException:
            # It is of no use, and nobody else knows of it.
            environment, self.environment = self.environment, None
            try:
                self._call(getattr(environment, "close", lambda: None))
            except Exception as error:
                answer.log(self.link, error, self.number)
            raise
        return b"null"

    def _prepare(self):
        self._mark_mode()
        self._reset_method = self._choose("reset")
        self._step_method = self._choose("step")
        self.tools = tools_of(self)
        if self.tools is not None and self.tools.needs_loop:
            self._start_loop()
            self._await(self.tools.enter())
        elif any(inspect.iscoroutinefunction(m) for m in (self._reset_method, self._step_method)):
            self._start_loop()

    def _mark_mode(self):
        """Tells an environment that has tools for one mode only which mode this is."""
        environment = self.environment
        if hasattr(environment, "_mode_tools") and getattr(environment, "_mode", None) is None:
            environment._mode = self.mode

    def _choose(self, name):
        """The coroutine if the author wrote one, else the plain method."""
        environment = self.environment
        own = getattr(environment, f"{name}_async", None)
        base = getattr(getattr(self.application.core, "Environment", None), f"{name}_async", None)
        if own is not None and getattr(own, "__func__", own) is not base:
            return own
        return getattr(environment, name)

    def _accepted_by(self, name, method, keywords):
        """The keywords that the method takes: clients send more than some know."""
        if not keywords:
            return keywords
        if name not in self._accepted:
            parameters = inspect.signature(method).parameters.values()
            takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters)
            kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
            names = {each.name for each in parameters if each.kind in kinds}
            self._accepted[name] = None if takes_all else names
        names = self._accepted[name]
        if names is None:
            return keywords
        return {key: value for key, value in keywords.items() if key in names}

    def _reset(self, flag, payload):
        keywords = json.loads(payload) if payload else {}
        method = self._reset_method
        observation = self._call(method, **self._accepted_by("reset", method, keywords))
        self._seen = observation
        return answer.of_observation(observation, flag)

    def _step(self, flag, payload):
        keywords = {}
        if flag & OPTIONS:
            length = int.from_bytes(payload[:4], "little")
            keywords = json.loads(payload[4 : 4 + length])
            payload = payload[4 + length :]
        action = answer.action_in(payload, self.application)
        self._seen = self.take_step(action, keywords)
        return answer.of_observation(self._seen, flag)

    def progress_of_this_call(self):
        """What a tool calls to say how far it is."""
        call = self._running

        async def report(progress, total=None, message=None):
            told = {"done": progress, "total": total, "message": message}
            self.link.send(PROGRESS, to_json(told), session=self.number, call=call)

        return report

    def take_step(self, action, keywords):
        method = self._step_method
        return self._call(method, action, **self._accepted_by("step", method, keywords))

    def _state(self, flag, payload):
        state = self.environment.state
        if callable(state):
            state = state()
        return answer.of_state(state, flag, self.application.state_adapter)

    def _tool(self, flag, payload):
        if self.tools is None:
            raise RuntimeError("Environment does not support MCP")
        asked = json.loads(payload)
        return answer.wire(self.tools.call(asked["name"], asked.get("arguments") or {}))

    def _list_tools(self, flag, payload):
        return answer.wire([] if self.tools is None else self.tools.list())

    def _tasks(self, flag, payload):
        asked = json.loads(payload)
        method = getattr(self.environment, asked["method"], None)
        if method is None:
            raise Unsupported
        try:
            result = self._call(method, **asked["arguments"])
        except NotImplementedError:
            raise Unsupported from None
        except IndexError:
            raise TaskIndex from None
        return answer.wire(result)

    def _about(self, flag, payload):
        environment = self.environment
        about = {"environment": type(environment).__name__, "traits": traits(environment)}
        describe = getattr(environment, "get_metadata", None)
        if describe is not None:
            about["metadata"] = self._call(describe).model_dump()
        if self.tools is not None:
            about["tools"] = self.tools.list()
        return answer.wire(about)

    def _view(self, flag, payload):
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "settle"):
                stream.settle()
        shown = None if self._seen is None else answer.seen(self._seen)
        rendered = self._ask_hook("render_web", shown, answer.html)
        actions = self._ask_hook("web_actions", shown, answer.suggestions) or []
        return answer.wire(
            {
                "rendering": rendered,
                "suggested_actions": actions,
            }
        )

    def _ask_hook(self, name, shown, word):
        """What a hook for people makes of the last observation; its failure is not the episode's."""
        hook = getattr(self.environment, name, None)
        if hook is None or shown is None:
            return None
        try:
            made = self._call(hook, shown)
            return None if made is None else word(made)
        except Exception as error:
            answer.log(self.link, error, self.number)
            return None

    def _close(self, flag, payload):
        try:
            if self.tools is not None and self.tools.needs_loop:
                self._await(self.tools.leave())
        finally:
            close = getattr(self.environment, "close", None)
            if close is not None:
                self._call(close)
        return b"null"

    def _end(self):
        self.environment = None
        loop, self._loop = self._loop, None
        try:
            if loop is not None:
                end_loop(loop)
        except BaseException as error:
            answer.log(self.link, error, self.number)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "forget"):
                stream.forget(self.number)


def end_loop(loop):
    """Ends a loop with whatever still runs in it."""
    import asyncio

    try:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


class Unsupported(NotImplementedError):
    """The environment has no such tasks."""


class TaskIndex(IndexError):
    """There is no task at that place."""


async def wait_for(awaitable):
    return await awaitable
