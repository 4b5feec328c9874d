"""A worker: reads what the server asks, and hands it to the sessions."""

import faulthandler
import json
import os
import queue
import signal
import sys
import threading
import traceback

from .answer import action_in, refuse
from .link import Link
from .load import load
from .output import Scribe, Tap
from .protocol import CANCEL, CHECK, CLOSE, OK, OPEN, REPORT, STDERR, STDOUT
from .session import Session


def run(job, asked, application):
    number = asked["worker"]
    for name in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)
    faulthandler.enable()
    link = Link(job["link"], "worker", number, asked["token"])
    scribe = Scribe(link)
    sys.stdout = Tap(scribe, STDOUT, sys.__stdout__)
    sys.stderr = Tap(scribe, STDERR, sys.__stderr__)
    os.register_at_fork(after_in_child=lambda: leave(link))
    if application is None:
        # The package could not be forked, so it is imported once more.
        application = load(job)
    else:
        forget_chance()
    link.send(REPORT, b"{}")
    Worker(link, application).serve()


def leave(link):
    """What an environment forks is not the worker: it must not speak in its name."""
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    link.close()


def forget_chance():
    """Forked workers would otherwise all draw the same numbers: `random` knows, numpy does not."""
    random = sys.modules.get("numpy.random")
    if random is not None:
        random.seed()


class Worker:
    def __init__(self, link, application):
        self._link = link
        self._application = application
        self._sessions = {}
        self._checks = None
        self._lane = None

    def serve(self):
        """Until the server is gone."""
        for session, call, kind, flag, payload in self._link.frames():
            if kind == OPEN:
                self._open(session, call, json.loads(payload))
            elif kind == CHECK:
                self._check(call, payload)
            elif session in self._sessions:
                held = self._sessions[session]
                if kind == CANCEL:
                    held.cancel(call, firmly=bool(flag))
                else:
                    held.hand((call, kind, flag, payload))
            elif kind == CLOSE:
                # It never came to be, or is closed.
                self._link.send(OK, b"null", session=session, call=call)
            elif kind != CANCEL:
                refuse(self._link, RuntimeError("there is no such session"), session, call)
        os._exit(0)

    def _open(self, number, call, asked):
        session = Session(number, asked["mode"], self._application, self._link)
        self._sessions[number] = session
        session.hand((call, OPEN, 0, b""))

        def live():
            try:
                session.run()
            finally:
                self._sessions.pop(number, None)

        try:
            if asked["alone"]:
                # Sessions that come after one another here see the same thread.
                if self._lane is None:
                    self._lane = lane()
                self._lane.put(live)
            else:
                threading.Thread(target=live, name=f"session-{number}", daemon=True).start()
        except RuntimeError as error:
            # There are too many threads, which is no reason to lose the others.
            self._sessions.pop(number, None)
            refuse(self._link, error, number, call)

    def _check(self, call, payload):
        """An action that has to fit before there is an environment.

        Not here, where the frames of all sessions would wait for an author's validator.
        """
        if self._checks is None:
            self._checks = lane()

        def check():
            try:
                action_in(payload, self._application)
            except BaseException as error:
                refuse(self._link, error, 0, call)
            else:
                self._link.send(OK, b"null", call=call)

        self._checks.put(check)


def lane():
    """A thread that does one thing after another."""
    work = queue.SimpleQueue()

    def follow():
        while True:
            try:
                work.get()()
            except BaseException:
                traceback.print_exc()

    threading.Thread(target=follow, name="lane", daemon=True).start()
    return work
