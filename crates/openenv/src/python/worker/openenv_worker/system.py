"""What Python does not offer of Linux, as far as it is needed here.

Elsewhere these do nothing: the end of a link still ends whoever reads it.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

IS_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)


def checked(name, *arguments):
    """Calls a function of the C library that tells failures by a negative result."""
    result = getattr(_libc, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def die_with(parent, how=signal.SIGKILL):
    """Ends this process when its parent ends, or at once if it has ended already."""
    if IS_LINUX:
        checked("prctl", PR_SET_PDEATHSIG, int(how), 0, 0, 0)
    # In a namespace of its own, a process sees its parent as 0.
    if os.getppid() not in (parent, 0):
        os._exit(0)


def adopt_orphans():
    """Makes this process the parent of what its descendants leave behind."""
    if IS_LINUX:
        checked("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    """The processes whose parent is this one."""
    try:
        with open("/proc/thread-self/children") as listed:
            return [int(child) for child in listed.read().split()]
    except OSError:
        return []


def threads():
    """How many threads the process has, those of libraries included."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def raise_in(thread, exception):
    """Raises an exception in another thread at its next line of Python; None takes it back."""
    target = ctypes.py_object(exception) if exception is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), target)


def fork(link, child):
    """Runs `child` in a new process, which does not come back from it.

    # Errors
    OSError, if there are too many processes.
    """
    parent = os.getpid()
    if os.fork() != 0:
        return
    try:
        link.close()
        child(parent)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(70)
    os._exit(0)
