"""What went wrong while a package was imported, and where in it."""

import importlib
import os
import traceback


def blame(error, root):
    """The exception in a line, the line of the package that it came through last, and
    the way there from the package's first."""
    own = [frame for frame in frames(error) if is_own(frame.tb_frame.f_code.co_filename, root)]
    where = None
    if isinstance(error, SyntaxError) and error.filename:
        where = (error.filename, error.lineno)
    elif own:
        where = (own[-1].tb_frame.f_code.co_filename, own[-1].tb_lineno)
    if where is not None:
        # How it got from here to the package is of no interest to its author.
        error = error.with_traceback(own[0] if own else None)
    return {
        "message": described(error),
        "where": where and f"{os.path.relpath(where[0], root)}, line {where[1]}",
        "traceback": traced(error),
    }


def traced(error):
    """The traceback of an error, as far as it is about the author's code."""
    here = os.path.dirname(__file__)
    importing = ("<frozen importlib", os.path.dirname(importlib.__file__), here)
    trace = traceback.TracebackException.from_exception(error)
    parts = [trace]
    while parts:
        part = parts.pop()
        part.stack[:] = [it for it in part.stack if not it.filename.startswith(importing)]
        parts.extend(it for it in (part.__cause__, part.__context__) if it is not None)
    return "".join(trace.format())


def described(error):
    # The text of this one repeats where it is.
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def frames(error):
    frame = error.__traceback__
    while frame is not None:
        yield frame
        frame = frame.tb_next


def is_own(path, root):
    """Whether a file is of the package, and not of what is installed in it."""
    # What is built into Python has names that are no paths.
    return path.startswith(os.path.join(root, "")) and f"{os.sep}site-packages{os.sep}" not in path
