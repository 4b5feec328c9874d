"""A host that is not the server's, to see who asks it."""

import http.server
import threading


class Elsewhere:
    """Answers every request with a short text, and remembers its path."""

    def __init__(self) -> None:
        asked = self.asked = []

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.end_headers()
                self.wfile.write(b"you are elsewhere")

            def log_message(self, *_) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.port = self._server.server_address[1]

    def __enter__(self) -> "Elsewhere":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
