"""What environments print, on its way to the server's log."""

import contextvars
import io
import queue
import threading
import time

LINE = 8192
LINES_PER_SECOND = 200
BURST = 1000

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

    def _follow(self):
        while True:
            self._link.log(*self._lines.get())


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
        self._allowance = {}

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
            _, _, left_out = self._allowance.pop(session, (0, 0, 0))
            if left_out:
                self._scribe.note(f"({left_out} more lines left out)", self._flag, session)

    def _tell(self, session, line):
        now = time.monotonic()
        allowed, at, left_out = self._allowance.get(session, (BURST, now, 0))
        allowed = min(BURST, allowed + (now - at) * LINES_PER_SECOND)
        if allowed >= 1:
            if left_out:
                self._scribe.note(f"({left_out} more lines left out)", self._flag, session)
            self._scribe.note(line, self._flag, session)
            self._allowance[session] = (allowed - 1, now, 0)
        else:
            self._allowance[session] = (allowed, now, left_out + 1)

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
