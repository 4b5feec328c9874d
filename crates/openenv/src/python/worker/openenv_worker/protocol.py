"""What travels between a worker and the server: numbers that both sides know.

A frame is a header and a payload. The header has the length of the payload, the
number of the session, the number of the call within it, the kind of the frame
and a flag whose meaning depends on the kind. Payloads are JSON, unless said.
"""

import struct

VERSION = 2

HEADER = struct.Struct("<IIIBBH")

# From the server.
OPEN = 1  # {"id", "mode"}
RESET = 2  # keyword arguments; flag: the form of the answer
STEP = 3  # the action; flag: the form, and whether options come first
STATE = 4  # flag: the form
CLOSE = 5
TOOL = 6  # {"name", "arguments"}
CANCEL = 7  # call: the one to end; flag 1: also if it is no coroutine
TASKS = 8  # {"method", "arguments"}
CHECK = 9  # an action, without a session
ABOUT = 10  # what only an environment that exists can tell
SPAWN = 11  # {"worker"}: to the process that forks
TOOLS = 12
VIEW = 13  # what people are shown

# From a worker.
OK = 128  # the answer, as it goes to the client
INVALID = 129  # a list of violations
FAILED = 130  # {"message", "type"}
UNSUPPORTED = 131
TASK_INDEX = 132
PROGRESS = 133  # {"done", "total", "message"}
LOG = 134  # the text itself; flag: how it is meant
HELLO = 135  # {"protocol", "role", "worker"}
REPORT = 136  # what the template found

# Flags of RESET, STEP and STATE.
HTTP = 1
OPTIONS = 2

# Flags of LOG.
STDOUT, STDERR, DEBUG, WARNING, ERROR = range(5)
