"""A worker: reads what the server asks, and hands it to the sessions."""

import faulthandler
import json
import os
import queue
import signal
import sys
import threading

from .answer import action_in, refuse
from .link import Link
from .load import load
from .output import Tap
from .protocol import CANCEL, CHECK, CLOSE, OK, OPEN, REPORT, STDERR, STDOUT
from .session import Session


def run(job, number, application):
    for name in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)
    faulthandler.enable()
    link = Link(job["link"], "worker", number)
    sys.stdout = Tap(link, STDOUT, sys.__stdout__)
    sys.stderr = Tap(link, STDERR, sys.__stderr__)
    if application is None:
        # The package could not be forked, so it is imported once more.
        application = load(job)
    else:
        forget_chance()
    link.send(REPORT, b"{}")
    Worker(link, application).serve()


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
                    if kind == CLOSE:
                        del self._sessions[session]
        os._exit(0)

    def _open(self, number, call, asked):
        session = Session(number, asked["mode"], self._application, self._link)
        self._sessions[number] = session
        session.hand((call, OPEN, 0, b""))
        if asked.get("single_thread"):
            # Sessions that come after one another here see the same thread.
            if self._lane is None:
                self._lane = lane()
            self._lane.put(session.run)
        else:
            threading.Thread(target=session.run, name=f"session-{number}", daemon=True).start()

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
            work.get()()

    threading.Thread(target=follow, name="lane", daemon=True).start()
    return work
