"""What environments print, on its way to the server's log."""

import contextvars
import io
import queue
import threading

from .allowance import Allowance, told

LINE = 8192

SETTLED = 0.2

session_number = contextvars.ContextVar("session_number", default=0)
"""The session that the running code belongs to. Tasks and the threads of anyio take it over."""


class Scribe:
    """Sends lines from a thread of its own.

    A call that has to end may get an exception between any two lines of Python; in the
    middle of sending, that would cost the answers of others.
    """

    def __init__(self, link):
        self._link = link
        self._lines = queue.SimpleQueue()
        self._started = False

    def note(self, *line):
        self._lines.put(line)
        if not self._started:
            self._started = True
            threading.Thread(target=self._follow, name="scribe", daemon=True).start()

    def settle(self):
        """Waits, if not for long, until all that was noted so far is sent."""
        if self._started:
            sent = threading.Event()
            self._lines.put(sent)
            sent.wait(SETTLED)

    def _follow(self):
        while True:
            line = self._lines.get()
            if isinstance(line, threading.Event):
                line.set()
            else:
                self._link.log(*line)


class Tap(io.TextIOBase):
    """Takes the place of a standard stream: each line becomes a frame with its session."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, scribe, flag, original):
        self._scribe = scribe
        self._flag = flag
        self._original = original
        self._lock = threading.RLock()
        self._rests = {}
        self._allowances = {}

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        session = session_number.get()
        with self._lock:
            lines = (self._rests.pop(session, "") + text).split("\n")
            rest = lines.pop()
            if len(rest) > LINE:
                lines.append(rest)
            elif rest:
                self._rests[session] = rest
            for line in lines:
                self._tell(session, line[:LINE])
        return len(text)

    def forget(self, session):
        """The last words of a session."""
        with self._lock:
            rest = self._rests.pop(session, None)
            if rest:
                self._tell(session, rest)
            allowance = self._allowances.pop(session, None)
            if allowance is not None and allowance.left_out:
                self._scribe.note(told(allowance.left_out), self._flag, session)

    def _tell(self, session, line):
        left_out = self._allowances.setdefault(session, Allowance()).admit()
        if left_out is None:
            return
        if left_out:
            self._scribe.note(told(left_out), self._flag, session)
        self._scribe.note(line, self._flag, session)

    def settle(self):
        self._scribe.settle()

    def flush(self):
        pass

    def writable(self):
        return True

    def reconfigure(self, **_):
        pass

    def isatty(self):
        return False

    def fileno(self):
        return self._original.fileno()

    @property
    def buffer(self):
        return self._original.buffer
