# SPDX-License-Identifier: Apache-2.0
"""Serves the metrics of a node: `python3 -m penstock_exporter.program DIRECTORY ADDRESS PORT INTERFACES [CERTIFICATE
KEY CA]`. `ovs-config up` starts it."""

import ipaddress
import pathlib
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import Metric

from . import families, reading
from .server import Server

_KEEP_SECONDS = 1
"""So many scrapers cost the switch one reading a second."""
_AGAIN_SECONDS = 2


class NodeCollector:
    """Metrics of the node of a directory. Safe for threads; of several at a time one reads."""

    def __init__(self, directory: pathlib.Path, most_interfaces: int,
                 read: Callable[[pathlib.Path], reading.Reading] = reading.read) -> None:
        self._directory, self._most, self._read = directory, most_interfaces, read
        self._lock = threading.Lock()
        self._last: tuple[float, list[Metric]] | None = None

    def collect(self) -> Iterator[Metric]:
        """The metrics, a second old at most."""
        with self._lock:
            if self._last is None or time.monotonic() - self._last[0] > _KEEP_SECONDS:
                made = list(families.make(self._read(self._directory), self._most))
                self._last = time.monotonic(), made
            return iter(self._last[1])


def tls(certificate: str, key: str, authority: str) -> ssl.SSLContext:
    """A context that serves clients alone that have a certificate of the authority. It is made for each connection, so
    renewed files count at once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(authority)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def server(arguments: list[str]) -> Server:
    """The server of the program's arguments; ValueError for an address beyond loopback without TLS."""
    directory, address, port, most, *files = arguments
    if not files and not ipaddress.ip_address(address).is_loopback:
        raise ValueError(f"{address} is not of this machine alone; give the files of a certificate")
    registry = CollectorRegistry()
    collector = NodeCollector(pathlib.Path(directory), int(most))
    registry.register(_Undescribed(collector))
    return Server((address, int(port)), make_wsgi_app(registry), (lambda: tls(*files)) if files else None)


class _Undescribed:
    """The registry would otherwise read the node once to learn the names."""

    def __init__(self, collector: NodeCollector) -> None:
        self._collector = collector

    def describe(self) -> list[Metric]:
        """Nothing."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics of the collector."""
        return self._collector.collect()


def main() -> None:
    """Serves until the process ends. While another program has the port it tries again."""
    told = ""
    while True:
        try:
            made = server(sys.argv[1:])
            break
        except OSError as error:
            text = f"{sys.argv[2]} port {sys.argv[3]}: {error.strerror}; give metrics.port of the profile a free one"
            if text != told:
                print(text, file=sys.stderr, flush=True)
            told = text
            time.sleep(_AGAIN_SECONDS)
    made.serve_forever()


if __name__ == "__main__":
    main()
