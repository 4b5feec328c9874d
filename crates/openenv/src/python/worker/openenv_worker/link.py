"""The socket to the server."""

import collections
import socket
import threading

from .protocol import HEADER, HELLO, LOG, VERSION

CHUNK = 256 * 1024

LONGEST = (1 << 30) - 1

TOO_MANY = 1000
"""Frames that may wait to be sent before whoever adds one has to wait as well."""


class Link:
    """Frames in both directions; any thread may send, one thread reads."""

    def __init__(self, path, role, worker=0, token=None):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._waiting = collections.deque()
        self._sending = threading.Lock()
        hello = {"protocol": VERSION, "role": role, "worker": worker, "token": token}
        self.send(HELLO, to_json(hello))

    def send(self, kind, payload=b"", session=0, call=0, flag=0):
        if len(payload) > LONGEST:
            raise ValueError(f"an answer of {len(payload)} bytes is too long to be sent")
        self._waiting.append(HEADER.pack(len(payload), session, call, kind, flag, 0) + payload)
        # Who sends takes along what others have added meanwhile: each time that a
        # thread lets go of the interpreter to send, it has to wait for its turn again.
        while self._waiting:
            if not self._sending.acquire(blocking=len(self._waiting) > TOO_MANY):
                return
            try:
                self._socket.sendall(b"".join(self._taken()))
            except OSError:
                # Without its server a worker has nothing to do: whoever reads ends it.
                self._waiting.clear()
            finally:
                self._sending.release()

    def _taken(self):
        while self._waiting:
            yield self._waiting.popleft()

    def log(self, text, flag, session=0):
        self.send(LOG, text.encode("utf-8", "replace"), session=session, flag=flag)

    def frames(self):
        """Every frame until the server is gone: (session, call, kind, flag, payload)."""
        buffer = bytearray()
        header_size = HEADER.size
        while True:
            try:
                chunk = self._socket.recv(CHUNK)
            except OSError:
                return
            if not chunk:
                return
            buffer += chunk
            position = 0
            while len(buffer) - position >= header_size:
                length, session, call, kind, flag, _ = HEADER.unpack_from(buffer, position)
                end = position + header_size + length
                if len(buffer) < end:
                    break
                payload = bytes(buffer[position + header_size : end])
                position = end
                yield session, call, kind, flag, payload
            del buffer[:position]

    def close(self):
        self._socket.close()


def to_json(value):
    """JSON for the server itself, which is always plain values."""
    import json

    # Half of a character, which Python lets pass, is a question mark elsewhere.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
