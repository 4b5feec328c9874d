"""A wire between browser and server that can be cut."""

import contextlib
import socket
import threading
import urllib.parse


class Wire:
    """Passes on what comes, until it is cut; mended, it passes on new connections."""

    def __init__(self, url: str) -> None:
        self._target = urllib.parse.urlsplit(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._is_whole = True
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def page_url(self) -> str:
        return f"{self.url}/web/"

    def cut(self) -> None:
        """Ends every connection, and every one that is tried."""
        self._is_whole = False
        for end in self._open:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def lead_to(self, url: str) -> None:
        """New connections go to another server."""
        self._target = urllib.parse.urlsplit(url)

    def mend(self) -> None:
        self._is_whole = True

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if not self._is_whole:
                    client.close()
                    continue
                server = socket.create_connection((self._target.hostname, self._target.port))
                self._open += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
