# SPDX-License-Identifier: Apache-2.0
"""Asks a controller how far it is. As a command it does so from inside the controller's network namespace."""

from __future__ import annotations

import base64
import json
import socket
import sys
import urllib.error
import urllib.request

from .settings import LOOPBACK

SECONDS = 5.0
STEPS = ("web", "system", "openflow", "restconf", "model")


def progress(openflow: tuple[str, int], restconf: int, user: str, password: str, model: str) -> dict[str, bool]:
    """Which of STEPS are done. Stops asking at the first that is not: a booting controller has better to do.

    web: Jetty answers; system: every bundle is active; openflow: its port is open; restconf: it takes our
    password; model: the YANG module `model` is there (not asked when empty).
    """
    done = dict.fromkeys(STEPS, False)
    base = f"http://{LOOPBACK}:{restconf}"
    status, body = _get(f"{base}/diagstatus", user, password)
    done["web"] = status is not None
    done["system"] = status == 200 and json.loads(body).get("systemReadyState") == "ACTIVE"
    if not done["system"]:
        return done
    done["openflow"] = _opens(*openflow)
    if not done["openflow"]:
        return done
    status, body = _get(f"{base}/rests/data/ietf-yang-library:modules-state?fields=module/name", user, password)
    done["restconf"] = status == 200
    done["model"] = done["restconf"] and (not model or f'"{model}"' in body)
    return done


def _get(url: str, user: str, password: str) -> tuple[int | None, str]:
    request = urllib.request.Request(url, headers={  # noqa: S310  (always http, to the controller)
        "Accept": "application/json, application/yang-data+json",
        "Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, ""
    except (OSError, ValueError):
        return None, ""


def _opens(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=SECONDS):
            return True
    except OSError:
        return False


def main() -> None:
    """Reads the arguments of `progress` as one JSON list from standard input, so that no process list shows them."""
    openflow, restconf, user, password, model = json.load(sys.stdin)
    json.dump(progress(tuple(openflow), restconf, user, password, model), sys.stdout)


if __name__ == "__main__":
    main()
