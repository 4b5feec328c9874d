"""The process that the server starts: it forks all others and loads nothing."""

import json
import os
import shutil
import signal
import sys

from . import isolation, keeper, template
from .link import Link, to_json
from .protocol import REPORT, SPAWN
from .system import fork


def main():
    job = json.loads(sys.argv[1])
    link = Link(job["link"], "nursery")
    if job["isolate"]:
        try:
            isolation.enter(job["keep"])
        except OSError as error:
            refusal = {"kind": "isolation", "message": str(error)}
            link.send(REPORT, to_json({"error": refusal}))
            return
    # Nobody waits for what is forked here: who cares sees its link end.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    fork(link, lambda parent: template.run(job, parent))
    for _, _, kind, _, payload in link.frames():
        if kind == SPAWN:
            keeper.start(link, job, json.loads(payload), None)
    # The server is gone, and all that was forked goes with this process.
    shutil.rmtree(os.path.dirname(job["link"]), ignore_errors=True)
