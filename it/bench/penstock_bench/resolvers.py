# SPDX-License-Identifier: Apache-2.0
"""What DNS for many tenants costs a node, which has a resolver process for each of them (docs/adr/0015).

All tenants come in one request, into an empty configuration. Times are seconds from the moment the request is sent. A
resolver is ok when the agent has said so in the node's database, where the controller reads it too.
"""

import json
import pathlib
import re
import time
from collections.abc import Callable, Iterable
from typing import Any

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_resolvers, node_agent, node_protocol

from . import names, services_bed, stats
from .configuration import NETWORK
from .results import Say

IDLE_SECONDS = 10
"""How long each look at the idle processes takes."""

_IDLE_LOOKS = 2
_PATIENCE_SECONDS = 600
_MANY_POLL_SECONDS, _ONE_POLL_SECONDS = 1, 0.05
_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


class Resolvers:
    """Measures it. The bed has to have resolvers, and the plan is that of services.py."""

    def __init__(self, bed: services_bed.ServicesBed, plan: Any, directory: pathlib.Path, say: Say
                 ) -> None:
        self._bed, self._plan, self._directory, self._say = bed, plan, directory, say
        self._node: pathlib.Path = bed.profile.directory

    def measure(self, results: dict[str, Any], save: Callable[[], None]) -> None:
        """Adds `resolvers` to the results: see README.md for its keys."""
        tenants = self._plan.tenants
        found: dict[str, Any] = {"tenants": tenants, "flows_before": self._empty()}
        results["resolvers"] = found
        found |= self._start(tenants)
        pids = self._pids(tenants)
        self._say(f"resolvers of {tenants} tenants: applied after {found['applied']:.1f} s, ok after "
                  f"{found['ok']:.1f} s")
        save()
        # First of all: what is read later makes controller and switch work.
        found["idle"] = [self._idle(pids) for _ in range(_IDLE_LOOKS)]
        found |= self._memory(pids)
        found["flows"] = self._bed.verified()
        self._say(f"resolvers: {found['pss'] / tenants / 1e6:.2f} MB each, idle for {IDLE_SECONDS} s: "
                  f"{', '.join(_idle_told(look) for look in found['idle'])}")
        save()
        found["added"] = [self._add(tenants + number) for number in range(self._plan.rounds)]
        self._say(f"resolvers, one tenant more: ok after {stats.median(found['added']):.2f} s")
        save()
        found["names"] = self._names(spread_evenly(tenants, self._plan.dns_tenants))
        self._say(f"resolvers, own names of {found['names']['tenants']} tenants: {found['names']['rate']:,.0f} "
                  "queries/s")
        save()

    def _empty(self) -> int:
        """No tenants, and no resolvers of former ones. Returns the number of flows that the node has without them."""
        self._bed.provision([])
        self._await(lambda: not node_agent.status(self._node)["resolvers"] and not self._ok(), "no resolvers run",
                    _MANY_POLL_SECONDS)
        return int(self._bed.verified())

    def _start(self, tenants: int) -> dict[str, float]:
        document = self._bed.network([self._tenant(number) for number in range(tenants)])
        begun = time.monotonic()
        self._bed.restconf.replace(NETWORK, document)
        found = {"answered": time.monotonic() - begun}
        self._await(self._bed.is_applied, "the switch has all tenants", _MANY_POLL_SECONDS)
        found["applied"] = time.monotonic() - begun
        self._await_ok(tenants, _MANY_POLL_SECONDS)
        return found | {"ok": time.monotonic() - begun}

    def _add(self, number: int) -> float:
        """Adds the tenant with this number to those before it. Returns the seconds until its resolver is ok."""
        entry = self._tenant(number)
        begun = time.monotonic()
        self._bed.restconf.replace(f"{NETWORK}/tenant={entry['name']}", {"penstock:tenant": [entry]})
        self._await_ok(number + 1, _ONE_POLL_SECONDS)
        return time.monotonic() - begun

    def _tenant(self, number: int) -> dict[str, Any]:
        entry: dict[str, Any] = services_bed.tenant(number, self._bed.name, (services_bed.NAMES_PORT,), dns=True)
        return entry

    def _names(self, numbers: list[int]) -> dict[str, Any]:
        with names.Clients(self._bed, numbers, self._directory) as clients:
            clients.await_answers()
            return {"tenants": len(numbers), **clients.measure("own", self._plan.dns_seconds)}

    def _await_ok(self, tenants: int, poll_seconds: float) -> None:
        self._await(lambda: self._ok() == tenants, f"the resolvers of {tenants} tenants are ok", poll_seconds)

    def _await(self, ready: Callable[[], bool], what: str, poll_seconds: float) -> None:
        processes.wait_until(ready, what, _PATIENCE_SECONDS, log=self._node / "agent.log", poll_seconds=poll_seconds)

    def _ok(self) -> int:
        """Number of resolvers that are ok."""
        return counted(run("ovsdb-client", "transact", f"unix:{self._bed.ovs.socket}", query()))

    def _pids(self, tenants: int) -> list[int]:
        found = [pid for path in (self._node / agent_resolvers.DIRECTORY).glob("[0-9]*/process")
                 if (pid := processes.pid_of(path))]
        if len(found) != tenants:
            raise PenstockError(f"the resolvers of {tenants} tenants are ok, but {len(found)} processes run")
        return found

    def _idle(self, pids: list[int]) -> dict[str, float]:
        """Processor seconds of agent and resolvers while nobody asks for anything."""
        begun, before = time.monotonic(), self._cpu(pids)
        time.sleep(IDLE_SECONDS)
        after = self._cpu(pids)
        return {"seconds": time.monotonic() - begun, **{name: after[name] - before[name] for name in after}}

    def _cpu(self, pids: Iterable[int]) -> dict[str, float]:
        return {"agent": processes.cpu_seconds(self._agent), "resolvers": sum(map(processes.cpu_seconds, pids))}

    def _memory(self, pids: Iterable[int]) -> dict[str, Any]:
        """Bytes: of all resolvers together, and resident ones of who works for them."""
        pss = sum(pss_bytes(pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")) for pid in pids)
        memory, database = self._bed.memory(), processes.pid_of(self._bed.ovs.database_process)
        return {"pss": pss, "resident": {
            "agent": 1_000_000 * processes.resident_megabytes(self._agent), "switch": memory["switch_resident"],
            "database": 1_000_000 * processes.resident_megabytes(database), "controller": memory["resident"]}}

    @property
    def _agent(self) -> int | None:
        pid: int | None = node_agent.status(self._node)["pid"]
        return pid


def query() -> str:
    """An OVSDB transaction (RFC 7047) that finds the resolvers that are ok.

    The server compares, and answers with ids alone: the orders, some MB of 1000 tenants, are in the same column.
    """
    return json.dumps(["Open_vSwitch", {
        "op": "select", "table": "CT_Zone", "columns": ["_uuid"],
        "where": [["external_ids", "includes", ["map", [[node_protocol.DNS_STATE, node_protocol.RESOLVER_OK]]]]]}])


def counted(answer: str) -> int:
    """How many rows the answer to query() has."""
    (selected,) = json.loads(answer)
    if "rows" not in selected:
        raise PenstockError(f"the node's database refused to tell the states of resolvers: {answer.strip()}")
    return len(selected["rows"])


def pss_bytes(text: str) -> int:
    """The proportional set size by the text of /proc/PID/smaps_rollup: a page that n processes share counts 1/n."""
    found = _PSS.search(text)
    if not found:
        raise PenstockError(f"smaps_rollup has no line Pss: {text.strip()[:200]}")
    return 1024 * int(found[1])


def spread_evenly(tenants: int, count: int) -> list[int]:
    """Numbers of some of the tenants, from the first to the last: all are started one after the other."""
    return sorted({index * (tenants - 1) // max(1, count - 1) for index in range(count)})


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """The figures of a run, as far as they were measured: seconds, MB (a million bytes), and flows for each tenant."""
    result: dict[str, Any] = {name: found[name] for name in ("tenants", "answered", "applied", "ok", "idle", "names")
                              if name in found}
    if "pss" in found:
        result |= {"megabytes": found["pss"] / 1e6, "megabytes_each": found["pss"] / found["tenants"] / 1e6,
                   "resident_megabytes": {name: size / 1e6 for name, size in found["resident"].items()}}
    if "flows" in found:
        result["flows_each"] = (found["flows"] - found["flows_before"]) / found["tenants"]
    if "added" in found:
        result["added"] = stats.spread(found["added"])
    return result


def _idle_told(look: dict[str, float]) -> str:
    return f"agent {look['agent']:.2f} s, resolvers {look['resolvers']:.2f} s of a core"
