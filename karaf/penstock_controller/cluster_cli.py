# SPDX-License-Identifier: Apache-2.0
"""penstock-controller cluster: which members there are, and whose data are those of the cluster."""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from . import cluster, rights, standing
from .controller import Controller
from .errors import ControllerError

_MASTERSHIP = "penstock-allocation:allocations/mastership"
_CHECK = "ietf-access-control-list:acls/acl=cluster-check"
_CHECK_BODY = {"ietf-access-control-list:acl": [{"name": "cluster-check"}]}
_SECONDS = 30.0
"""Until a member that was stopped is missed, and a takeover is over."""
_POLL_SECONDS = 0.5


def add(commands: Any) -> None:
    """Adds them to the commands of penstock-controller."""
    group = commands.add_parser("cluster", help="members of the cluster, and whose data count: status, decide, forget",
                                description="Members of the cluster, and whose data count.")
    group.set_defaults(command=_status, json=False)
    words = group.add_subparsers(metavar="COMMAND")
    shown = words.add_parser("status", help="show all members as this one sees them; exit code 1 unless all are in",
                             description="Shows all members as this one sees them. Exit code 1 unless all are in, and "
                             "have all data: then one of them may be stopped.")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    shown.set_defaults(command=_status)
    words.add_parser("decide", help="from its next start on, the data of this controller are those of the cluster",
                     description="From its next start on, the data of this controller are those of the cluster, or of "
                     "a controller alone. If it runs, one other member has to run, and it is checked that this one has "
                     "all data. Members with other data are refused until they forget them."
                     ).set_defaults(command=lambda controller, _: _decide(controller))
    words.add_parser("forget", help="remove the data of this controller, which gets them from the others at its next "
                     "start", description="Removes the data of this controller, which gets them from the others at its "
                     "next start. Journals, logs and the password stay."
                     ).set_defaults(command=lambda controller, _: _forget(controller))


def state(controller: Controller) -> dict[str, Any]:
    """All members as a controller sees them, and whether one of them may be stopped."""
    settings = controller.settings
    running = controller.pid is not None
    with rights.owner_of(controller.run_dir):
        step, seen = standing.seen(controller.run_dir) if running else ("", {})
        has_data, decided = standing.has_data(controller.run_dir), standing.is_decided(controller.run_dir)
    leading = _master(controller) if running else None
    members = []
    for each in cluster.members(settings):
        found = seen.get(each.name, standing.Seen(each.name, standing.AWAY))
        members.append({"member": each.name, "address": each.address, "state": found.state,
                        "role": "master" if each.name == leading else "standby" if found.state == standing.JOINED
                        else "", "version": found.version, "models": found.models})
    missing = [f"{each['member']} is {each['state']}" for each in members if each["state"] != standing.JOINED]
    if settings.members and not missing and leading is None:
        missing = ["there is no master"]
    return {"member": settings.member, "running": running, "has-data": has_data, "decided": decided, "step": step,
            "members": members if settings.members else [],
            "same-models": len({each["models"] for each in members}) == 1,
            "may-stop-one": bool(settings.members) and not missing, "missing": missing if settings.members else []}


def _status(controller: Controller, options: argparse.Namespace) -> int:
    found = state(controller)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print(_text(found))
    return 0 if found["may-stop-one"] else 1


def _text(found: dict[str, Any]) -> str:
    if not found["members"]:
        return f"{found['member']} is alone: its settings name no members"
    rows = [("member", "address", "state", "role", "version", "models"), *(
        tuple(each[key] or "-" for key in ("member", "address", "state", "role", "version", "models"))
        for each in found["members"])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.append("")
    if not found["running"]:
        lines.append(f"{found['member']} does not run")
    elif found["step"] and found["missing"]:
        lines.append(f"{found['member']}: {found['step']}")
    if found["decided"]:
        lines.append(f"the data of {found['member']} are those of the cluster from its next start on")
    lines.append("one member may be stopped" if found["may-stop-one"] else
                 f"stop no member: {', '.join(found['missing'])}")
    if not found["same-models"] and found["running"]:
        lines.append("the members have different models")
    return "\n".join(lines)


def _decide(controller: Controller) -> int:
    decide(controller)
    print(f"from its next start on the data of {controller.settings.member} are those of the cluster")
    return 0


def decide(controller: Controller, seconds: float = _SECONDS) -> None:
    """Has the data of a controller be those of the cluster from its next start on.

    One that runs has to have all that the cluster has accepted. It waits `seconds` for a member that was stopped to be
    missed. Raises ControllerError if the data are not there, or may not be all.
    """
    run, settings = controller.run_dir, controller.settings
    if controller.pid is not None:
        if not settings.members:
            raise ControllerError("it is alone: its data are all there are; stop it first, to make it a member")
        _wait(lambda: _one_other(controller), seconds)
        confirm(controller, seconds)
    with rights.owner_of(run):
        if not standing.has_data(run):
            raise ControllerError(f"{run} does not have all data: decide for another member")
        standing.decide(run)


def _one_other(controller: Controller) -> str:
    """Why the number of other members that run is wrong; empty if it is one."""
    own = controller.settings.member
    with rights.owner_of(controller.run_dir):
        _, seen = standing.seen(controller.run_dir)
    others = sorted(each.name for each in seen.values() if each.name != own)
    if own not in seen or seen[own].state != standing.JOINED:
        return f"{own} has not got all data: wait until it has joined"
    if len(others) == 1:
        return ""
    return (f"{' and '.join(others)} run, and may have what {own} has not: stop one of them first" if others else
            f"no other member runs, so that {own} cannot prove that it has all data: start one, or stop {own} first if "
            "the others have lost theirs")


def confirm(controller: Controller, seconds: float = _SECONDS) -> None:
    """Checks that a member has all that the cluster has accepted. Raises ControllerError if that is not known.

    Of three members two run. Both have to store a change before it is accepted, after all changes before it, so this
    member has these once a further one is accepted.
    """
    _wait(lambda: _change(controller, "PUT", _CHECK_BODY), seconds)
    _wait(lambda: _change(controller, "DELETE"), seconds)


def _wait(problem: Callable[[], str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while found := problem():
        if time.monotonic() > deadline:
            raise ControllerError(found)
        time.sleep(_POLL_SECONDS)


def _change(controller: Controller, method: str, body: object = None) -> str:
    """Changes the access list of the check; returns why it was not accepted."""
    status, answer = _request(controller, method, _CHECK, body)
    gone = method == "DELETE" and (status == 404 or "data-missing" in answer)
    return "" if status in (200, 201, 204) or gone else f"no change is accepted: {answer or 'no answer'}"


def _master(controller: Controller) -> str | None:
    _, answer = _request(controller, "GET", _MASTERSHIP)
    try:
        found = json.loads(answer)["penstock-allocation:mastership"]
        return str(found["member"])
    except (ValueError, KeyError, TypeError):
        return None


def _request(controller: Controller, method: str, path: str, body: object = None) -> tuple[int | None, str]:
    """Asks the controller on this machine."""
    login = base64.b64encode(f"{controller.user}:{controller.password}".encode()).decode()
    request = urllib.request.Request(  # noqa: S310  (always http, to the controller)
        f"{controller.restconf_url}/data/{path}", data=None if body is None else json.dumps(body).encode(),
        method=method, headers={"Accept": "application/yang-data+json", "Content-Type": "application/yang-data+json",
                                "Authorization": f"Basic {login}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode(errors="replace")
    except (OSError, ValueError, http.client.HTTPException) as error:
        return None, str(error)


def _forget(controller: Controller) -> int:
    settings = controller.settings
    if controller.pid is not None:
        raise ControllerError("it runs: stop it first")
    if not settings.members:
        raise ControllerError("it is alone, and no other controller has its data")
    with rights.owner_of(controller.run_dir):
        standing.forget(controller.run_dir)
    print(f"{settings.member} has no data, and gets them from the others at its next start")
    return 0
