"""Runs environments that are written in Python, for a server that is not.

The processes, from the first to the last:

- the *nursery* is what the server starts. It loads nothing, so it can always fork.
- the *template* is its child: it imports the author's package, reports what it
  found, and forks. A package that started threads while it was imported cannot
  be forked safely; then the nursery forks instead, and each worker imports anew.
- a *keeper* stands between them and a worker: whatever the worker started is
  ended with it, and what it wrote to its file descriptors gets its name.
- a *worker* holds sessions, each on a thread of its own, and talks to the server
  over one socket (`link.py`).
"""
