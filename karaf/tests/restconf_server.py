# SPDX-License-Identifier: Apache-2.0
"""An HTTP server in the place of a controller, for tests."""

import http.server
import json
import ssl
import threading


class Server:
    """A controller that a test writes. answers: status and document for each request, in turn; the last one stays.

    tls: the files of certificate and key
    """

    def __init__(self, *answers, tls=None):
        self.requests: list = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def _answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.requests.append((self.command, self.path, json.loads(body) if body else None,
                                        dict(self.headers)))
                status, document = answers[min(len(server.requests), len(answers)) - 1]
                if status is None:  # The connection ends instead of an answer.
                    return
                content = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:1/rests")
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):
                self._answer()

            def do_PATCH(self):
                self._answer()

            def do_POST(self):
                self._answer()

            def log_message(self, *_):
                pass
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._server.handle_error = lambda *_: None  # Handshakes that clients end.
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/rests"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def served(case, *answers, tls=None):
    """A server that ends with the test."""
    server = Server(*answers, tls=tls)
    case.addCleanup(server.close)
    return server


def refused(message, tag="invalid-value", path=""):
    """The document of a refusal."""
    return {"errors": {"error": [{"error-type": "application", "error-tag": tag, "error-message": message,
                                  "error-path": path}]}}
