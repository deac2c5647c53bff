# SPDX-License-Identifier: Apache-2.0
"""Proves with real traffic that the sample works: what must get through does, what must not does not."""

import concurrent.futures
import subprocess
import time
import typing
from collections.abc import Callable, Iterable

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_base.steps import say

from . import lab, status
from .sample import Sample, Tenant

_Answer = typing.TypeVar("_Answer")

_PATIENCE_SECONDS = 20
_PARALLEL = 8
_POLL_SECONDS = 0.5


class NotProven(PenstockError):
    """Something got through that must not, or did not that must."""


def prove(sample: Sample, restconf: Restconf) -> None:
    """Runs all checks and says what they showed. Raises NotProven with the drop counters of who is concerned."""
    before = status.collect(restconf)
    public = {tenant["name"]: tenant["public"] for tenant in before["tenants"]}
    try:
        with concurrent.futures.ThreadPoolExecutor(_PARALLEL) as pool:
            _all(pool, [(_reaches_the_world, tenant, public[tenant.name]) for tenant in sample.tenants])
            _all(pool, [(_is_silent, sender, other.own_address, f"{other.name}'s private address")
                        for sender in sample.tenants for other in sample.tenants if sender != other]
                 + [(_is_silent, sender, public[other.name], f"{other.name}'s public address")
                    for sender in sample.tenants for other in sample.tenants if sender != other]
                 + [(_is_closed_to_the_world, tenant, public[tenant.name]) for tenant in sample.tenants])
        _chains_were_used(sample, before, restconf)
    except NotProven as error:
        raise NotProven(f"{error}{_drops(restconf)}") from error
    count = len(sample.tenants)
    say(f"{count} tenants reach their gateway and {lab.SERVER} (ping and TCP), each seen as its public address")
    say(f"{count * (count - 1)} pairs of tenants cannot reach each other, neither privately nor publicly; an external "
        "host cannot open a connection to any")


def _all(pool: concurrent.futures.Executor, checks: Iterable[tuple[typing.Any, ...]]) -> None:
    """Runs the checks in parallel; the first failure, in their order, is raised."""
    for result in [pool.submit(*check) for check in checks]:
        result.result()


def _reaches_the_world(tenant: Tenant, public: str) -> None:
    host = lab.namespace_of(tenant)
    _until(f"tenant {tenant.name}: no answer to ping from its gateway {tenant.gateway}",
           lambda: ping(host, tenant.gateway))
    _until(f"tenant {tenant.name}: no answer to ping from {lab.SERVER}, behind the transit router",
           lambda: ping(host, lab.SERVER))
    seen = _until(f"tenant {tenant.name}: no answer over TCP from http://{lab.SERVER}:{lab.SERVER_PORT}",
                  lambda: lab.get(host, 3))
    if seen != public:
        raise NotProven(f"tenant {tenant.name}: the server saw it as {seen}, its public address is {public}")


def _is_silent(sender: Tenant, address: str, meaning: str) -> None:
    if ping(lab.namespace_of(sender), address, count=3):
        raise NotProven(f"tenant {sender.name} reaches {meaning} {address}: tenants are not isolated")


def _is_closed_to_the_world(tenant: Tenant, public: str) -> None:
    if ping(lab.TRANSIT, public, count=3):
        raise NotProven(f"the transit network can open a connection to tenant {tenant.name} at {public}")


def _chains_were_used(sample: Sample, before: status.State, restconf: Restconf) -> None:
    def packets(state: status.State) -> dict[str, int]:
        return {chain["name"]: chain["packets"] for chain in state["chains"]}
    after = packets(status.collect(restconf))
    for name in sample.used_chains:
        if after.get(name, 0) <= packets(before).get(name, 0):
            raise NotProven(f"chain {name}: traffic reached the server, but the chain counted no packet of it")


def ping(namespace: str, address: str, count: int = 1) -> bool:
    """Whether there is an answer to one of `count` pings, within about a second."""
    return subprocess.run(["ip", "netns", "exec", namespace, "ping", "-n", "-q", "-c", str(count), "-i", "0.2", "-W",
                           "1", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).returncode == 0


def _until(complaint: str, attempt: Callable[[], _Answer]) -> _Answer:
    """The first answer of `attempt` that is not empty. The first packets may wait for ARP."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        answer = attempt()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise NotProven(f"{complaint} within {_PATIENCE_SECONDS} s")
        time.sleep(_POLL_SECONDS)


def _drops(restconf: Restconf, lines: int = 8) -> str:
    """Where packets were dropped, the busiest places first."""
    try:
        flows = restconf.call("penstock-operations:flows", {"drops-only": True}).get("flow", [])
    except PenstockError:
        return ""
    found = sorted(((int(flow.get("packets", 0)), flow) for flow in flows), key=lambda pair: -pair[0])
    texts = [f"{packets} in {flow['node']}/{flow['table']}: {flow.get('label') or flow.get('text')}"
             for packets, flow in found if packets][:lines]
    return "\npackets dropped since the flows were installed:\n  " + "\n  ".join(texts) if texts else ""
