"""Stands over one worker: ends all that it started, names all that it wrote."""

import os
import select
import signal
import sys
import traceback

from . import isolation, system
from .allowance import Allowance, told

LINE = 3500
"""Bytes of a line at most: what is longer is cut, so that lines never mix."""

FAILED = 70 << 8
"""What `wait` tells of a process that ended with code 70."""


def start(link, job, asked, application):
    """Forks a keeper. If that is not possible, it is told, and nothing else is lost."""
    try:
        system.fork(link, lambda parent: run(job, asked, application, parent))
    except OSError:
        traceback.print_exc()
        tell_end(asked["worker"])


def run(job, asked, application, parent):
    """The life of a keeper; how its worker ended is always told."""
    status = FAILED
    try:
        status = keep(job, asked, application, parent)
    finally:
        tell_end(asked["worker"], status)


def tell_end(worker, status=FAILED):
    os.write(2, b"\x1e%d\x1e\x1e%d\n" % (worker, status))


def keep(job, asked, application, parent):
    worker = asked["worker"]
    system.die_with(parent, signal.SIGTERM)
    system.adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if job["isolate"]:
        isolation.enter(job["keep"], nested=True)
    output, into = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(output)
        os.dup2(into, 1)
        os.dup2(into, 2)
        os.close(into)
        run_worker(job, asked, application, keeper)
    os.close(into)
    status = watch(pid, Relay(output, worker))
    end_all_that_is_left()
    return status


def run_worker(job, asked, application, keeper):
    """In the process of the worker, which must never come back from here."""
    try:
        system.die_with(keeper)
        if job["isolate"]:
            isolation.finish()
        from . import worker

        worker.run(job, asked, application)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        sys.__stderr__.flush()
        os._exit(70)
    os._exit(0)


def watch(pid, relay):
    """Passes on what the worker writes until it ends; how it ended."""
    awake, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(awake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: kill(pid))
    poll = select.poll()
    poll.register(awake, select.POLLIN)
    poll.register(relay.source, select.POLLIN)
    while True:
        told = poll.poll(relay.pause())
        if not told:
            relay.catch_up()
        for ready, _ in told:
            if ready == awake:
                os.read(awake, 512)
            elif not relay.pass_on():
                poll.unregister(relay.source)
        # Also collects what the worker's own children left behind.
        while True:
            try:
                ended, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                ended, status = pid, 0
            if ended == pid:
                # From here on its number may be that of another process.
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                relay.drain()
                return status
            if ended == 0:
                break


def end_all_that_is_left():
    """Kills children until there are none: those of the killed become children here."""
    while True:
        left = system.children()
        for child in left:
            kill(child)
        try:
            # One at a time: what it leaves behind is a child here now.
            if os.waitpid(-1, 0 if left else os.WNOHANG)[0] == 0:
                # There are children, but this system does not tell which.
                return
        except ChildProcessError:
            return


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Relay:
    """Lines from the worker's file descriptors, under the worker's name.

    It always reads, so that a worker never waits for a log; of a flood it passes
    on a part and tells how much it left out.
    """

    def __init__(self, source, worker):
        self.source = source
        self._name = b"\x1e%d\x1e" % worker
        self._rest = b""
        self._allowance = Allowance()
        os.set_blocking(source, False)

    def pause(self):
        """Milliseconds after which there may be something to tell."""
        return 1000 if self._allowance.left_out else None

    def catch_up(self):
        """Tells what was left out, if there is room for it by now."""
        self._tell_left_out(self._allowance.catch_up())

    def pass_on(self):
        """Reads once; whether there may be more."""
        try:
            chunk = os.read(self.source, 65536)
        except BlockingIOError:
            return True
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LINE:
            lines.append(self._rest)
            self._rest = b""
        if not chunk and self._rest:
            lines.append(self._rest)
            self._rest = b""
        self._tell(lines)
        return bool(chunk)

    def drain(self):
        """The last words of a worker that has ended."""
        # Something that it started may hold the pipe open and go on writing.
        for _ in range(64):
            if not self.pass_on() or not select.select([self.source], [], [], 0)[0]:
                break
        self._tell([self._rest] if self._rest else [])
        self._tell_left_out(self._allowance.take_left_out())

    def _tell(self, lines):
        for line in lines:
            left_out = self._allowance.admit()
            if left_out is not None:
                self._tell_left_out(left_out)
                self._write(line[:LINE])

    def _tell_left_out(self, left_out):
        if left_out:
            self._write(told(left_out).encode())

    def _write(self, line):
        if line.startswith(b"\x1e"):
            # A worker does not get to say how it ended.
            line = b" " + line
        try:
            os.write(2, self._name + line + b"\n")
        except OSError:
            pass
