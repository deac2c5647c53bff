# SPDX-License-Identifier: Apache-2.0
"""An HTTP server of bounded means for the metrics: few connections at a time, short requests, all within a deadline."""

import socket
import socketserver
import ssl
import threading
import typing
import wsgiref.simple_server
from collections.abc import Callable, Iterable

MOST_CONNECTIONS = 8
"""At a time. Further ones are closed at once."""
DEADLINE_SECONDS = 10
"""From the connection to the end of the answer, however slowly the client reads and writes."""
_LONGEST_LINE = 4096

Application = Callable[[dict[str, typing.Any], typing.Any], Iterable[bytes]]


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    """Serves GET /metrics. Each connection has one request and a thread.

    tls: makes the context for a connection; None for plain text
    """
    daemon_threads = True
    request_queue_size = 16
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], application: Application,
                 tls: Callable[[], ssl.SSLContext] | None = None) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._tls = tls
        super().__init__(address, _Handler)
        self.set_app(only_metrics(application))

    def server_bind(self) -> None:
        """Binds, and asks no name server for the name of this machine as the base class does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "penstock", self.server_address[1]
        self.setup_environ()

    def process_request(self, request: typing.Any, client_address: typing.Any) -> None:
        """Serves a connection in a thread of its own, or closes it when there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # No thread can be made.
            self._free.release()
            self.shutdown_request(request)

    def process_request_thread(self, request: typing.Any, client_address: typing.Any) -> None:
        """Serves one connection and ends it at the deadline."""
        end = threading.Timer(DEADLINE_SECONDS, _cut, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def finish_request(self, request: typing.Any, client_address: typing.Any) -> None:
        """Makes the TLS session, in the thread of the connection, and answers the request."""
        request.settimeout(DEADLINE_SECONDS)
        if self._tls is None:
            super().finish_request(request, client_address)
            return
        # Another descriptor of the same socket: the caller keeps its own, by which it is cut off and closed.
        with self._tls().wrap_socket(request.dup(), server_side=True) as session:
            session.settimeout(DEADLINE_SECONDS)
            super().finish_request(session, client_address)

    def handle_error(self, request: typing.Any, client_address: typing.Any) -> None:
        """Clients that break off or have no certificate are no news."""


class _Handler(wsgiref.simple_server.WSGIRequestHandler):
    def handle(self) -> None:
        self.raw_requestline = self.rfile.readline(_LONGEST_LINE + 1)
        if len(self.raw_requestline) > _LONGEST_LINE:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
            return
        if not self.parse_request():
            return
        requests, answers = (typing.cast(typing.IO[bytes], stream) for stream in (self.rfile, self.wfile))
        handler = wsgiref.simple_server.ServerHandler(requests, answers, self.get_stderr(), self.get_environ(),
                                                      multithread=True)
        handler.request_handler = self  # type: ignore[attr-defined]  # As the base class does, for its log.
        handler.run(self.server.get_app())  # type: ignore[attr-defined]  # It is a Server.

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name of the base class)
        """Writes nothing: a client could fill the disk."""


def only_metrics(application: Application) -> Application:
    """Serves the application at GET /metrics, without a query, and errors elsewhere."""
    def serve(environ: dict[str, typing.Any], start_response: typing.Any) -> Iterable[bytes]:
        status = ("404 Not Found" if environ.get("PATH_INFO") != "/metrics" else
                  "405 Method Not Allowed" if environ.get("REQUEST_METHOD") != "GET" else None)
        if status is None:
            return application(environ | {"QUERY_STRING": ""}, start_response)
        start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Allow", "GET")])
        return [b"The metrics are at GET /metrics.\n"]
    return serve


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
