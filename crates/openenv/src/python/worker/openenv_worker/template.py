"""The process that imports the author's package once, so that workers need not."""

import gc
import json

from . import keeper, system
from .link import Link, to_json
from .load import LoadError, load
from .protocol import REPORT, SPAWN


def run(job, parent):
    system.die_with(parent)
    link = Link(job["link"], "template")
    try:
        application = load(job)
        report = application.report()
    except LoadError as error:
        link.send(REPORT, to_json({"error": error.report()}))
        return
    threads = system.threads()
    report["forks"] = threads == 1
    report["threads"] = threads
    link.send(REPORT, to_json(report))
    if threads > 1:
        # A fork would copy the locks that those threads hold, but not the threads.
        return
    gc.collect()
    # What is there now stays shared: the collector does not write to it any more.
    gc.freeze()
    for _, _, kind, _, payload in link.frames():
        if kind == SPAWN:
            keeper.start(link, job, json.loads(payload), application)
