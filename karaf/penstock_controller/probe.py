# SPDX-License-Identifier: Apache-2.0
"""Asks a controller how far it is. As a command it does so from inside the controller's network namespace."""

from __future__ import annotations

import base64
import dataclasses
import http.client
import json
import socket
import sys
import urllib.error
import urllib.request
from typing import Any

SECONDS = 5.0
STEPS = ("web", "engine", "system", "openflow", "restconf", "model")
SERVICE = "PENSTOCK"
"""Name of the engine among the services of /diagstatus. The same as SERVICE in EngineReadiness.java."""

_GOOD, _IMPAIRED, _FAILED = "OPERATIONAL", "SUSPECTED", "ERROR"


@dataclasses.dataclass(frozen=True)
class Answer:
    """How far a controller is, and what its engine says of itself."""
    done: dict[str, bool]
    """By step of STEPS."""
    engine: str = ""
    """State of the engine in the words of ServiceState of OpenDaylight; empty while it says nothing."""
    reason: str = ""
    """Why the engine does not carry out what is configured, and what to do; empty when it does."""

    @property
    def failed(self) -> bool:
        """Whether the engine could not start, and will not by itself."""
        return self.engine == _FAILED


def ask(openflow: tuple[str, int], restconf: tuple[str, int], user: str, password: str, model: str) -> Answer:
    """Which of STEPS are done. Stops asking at the first that is not: a booting controller has better to do.

    web: Jetty answers; engine: Penstock's engine runs; system: every bundle is active; openflow: its port is open;
    restconf: it takes our password; model: the YANG module `model` is there (not asked when empty).
    """
    done = dict.fromkeys(STEPS, False)
    base = f"http://{restconf[0]}:{restconf[1]}"
    status, body = _get(f"{base}/diagstatus", user, password)
    done["web"] = status is not None
    summary = _summary(body)
    services = {service["serviceName"]: service for service in summary.get("statusSummary", [])}
    own = services.pop(SERVICE, {})
    engine, reason = own.get("effectiveStatus", ""), own.get("reportedStatusDescription") or ""
    answer = Answer(done, engine, reason)
    done["engine"] = engine in (_GOOD, _IMPAIRED)
    if not done["engine"]:
        return answer
    done["system"] = summary.get("systemReadyState") == "ACTIVE" and all(
        service.get("effectiveStatus") == _GOOD for service in services.values())
    if not done["system"]:
        return answer
    done["openflow"] = _opens(*openflow)
    if not done["openflow"]:
        return answer
    status, body = _get(f"{base}/rests/data/ietf-yang-library:modules-state?fields=module/name", user, password)
    done["restconf"] = status == 200
    done["model"] = done["restconf"] and (not model or f'"{model}"' in body)
    return answer


def _summary(body: str) -> dict[str, Any]:
    """The answer of /diagstatus: 503 has one too. Jetty answers with pages until the servlet is there."""
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


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
            return refused.code, refused.read().decode(errors="replace")
    except (OSError, ValueError, http.client.HTTPException):  # The last one when it ends in the middle of an answer.
        return None, ""


def _opens(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=SECONDS):
            return True
    except OSError:
        return False


def main() -> None:
    """Reads the arguments of `ask` as one JSON list from standard input, so that no process list shows them."""
    openflow, restconf, user, password, model = json.load(sys.stdin)
    json.dump(dataclasses.asdict(ask(tuple(openflow), tuple(restconf), user, password, model)), sys.stdout)


if __name__ == "__main__":
    main()
