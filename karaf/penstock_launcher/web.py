# SPDX-License-Identifier: Apache-2.0
"""A web server that answers with the address of its client, and a client. Run as a program, in some namespace:
    web.py serve ADDRESS PORT      web.py get URL SECONDS
"""

import http.server
import sys
import urllib.request
from collections.abc import Sequence


class _WhoAmI(http.server.BaseHTTPRequestHandler):
    """Tells every client which address it comes from."""

    timeout = 5

    def do_GET(self) -> None:
        """The name is that of http.server."""
        body = f"{self.client_address[0]}\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        """For the log; does not ask a name server."""
        return self.client_address[0]


def serve(address: str, port: int) -> None:
    """Serves until the process is ended."""
    with http.server.ThreadingHTTPServer((address, port), _WhoAmI) as server:
        server.serve_forever()


def get(url: str, seconds: float) -> str:
    """The body of a page, without any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=seconds) as answer:
        text: str = answer.read().decode()
    return text


def main(arguments: Sequence[str]) -> None:
    """Runs one of the two."""
    if arguments[0] == "serve":
        serve(arguments[1], int(arguments[2]))
    else:
        try:
            print(get(arguments[1], float(arguments[2])), end="")
        except OSError as error:
            sys.exit(f"{arguments[1]}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
