# SPDX-License-Identifier: Apache-2.0
"""The Prometheus that `up --with-metrics` starts beside the edge: with an account of its own, which can only read."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable

from penstock_base import places
from penstock_base.restconf import Restconf
from penstock_monitoring.prometheus import USER, Prometheus

from . import users

ROLE = "reader"


def server() -> Prometheus:
    """That of this machine, running or not."""
    return Prometheus(places.state_directory() / "metrics", places.run_directory() / "prometheus.process")


def ensure(restconf: Restconf, urls: Iterable[str], nodes: Iterable[str]) -> bool:
    """Starts it for the controllers at these URLs of RESTCONF, and nodes at ADDRESS:PORT. Returns False if it ran for
    them already."""
    current = server()
    password = _password(restconf, current)
    targets = [urllib.parse.urlsplit(url).netloc for url in urls]
    return current.start(current.configuration(targets, list(nodes)), password)


def _password(restconf: Restconf, current: Prometheus) -> str:
    """That of its account, which is made, or gets another one if its password is lost."""
    known = next((user for user in users.all_of(restconf) if user["name"] == USER), None)
    if known and known["role"] == ROLE and current.password_file.exists():
        return current.password_file.read_text(encoding="utf-8")
    password = users.made()
    users.write(restconf, USER, is_new=known is None, role=ROLE, tenants=None, password=password)
    return password
