# SPDX-License-Identifier: Apache-2.0
"""Control-plane measurements, on a bed of their own.

Times are seconds on the caller's clock, from the moment a RESTCONF call is sent. "answered" is when RESTCONF has
answered, "applied" when the RPC wait-applied has said that every switch has confirmed it, "verified" when the RPC
verify has read the whole switch and found what is planned. Results are plain dicts of raw samples.
"""

import functools
import json
import pathlib
import socket
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from penstock_base import commands, processes
from penstock_base.errors import PenstockError
from penstock_base.restconf import RestconfError
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs

from . import configuration
from .bed import ADDRESS, Bed
from .configuration import NETWORK
from .private_controller import OPERATIONS, PORTS, READY_SECONDS, PrivateController
from .results import Results, Say
from .stream import Stream

_BULK_ROUNDS = 5


def bulk(bed: Bed, count: int) -> Results:
    """All tenants in one request, into an empty configuration."""
    bed.put(0)
    bed.applied()
    before = bed.cpu()
    begun = time.monotonic()
    bed.put(count)
    answered = time.monotonic() - begun
    bed.applied()
    applied = time.monotonic() - begun
    flows = bed.verified()
    verified = time.monotonic() - begun
    return {"tenants": count, "flows": flows, "answered": answered, "applied": applied, "verified": verified,
            "cpu": _spent(before, bed.cpu())}


def one_by_one(bed: Bed, count: int) -> Results:
    """One request for each tenant, the next when the one before is answered; into an empty configuration."""
    bed.put(0)
    bed.applied()
    before = bed.cpu()
    begun = time.monotonic()
    for index in range(count):
        _put_tenant(bed, configuration.tenant(index, bed.name))
    answered = time.monotonic() - begun
    bed.applied()
    applied = time.monotonic() - begun
    bed.verified()
    return {"tenants": count, "answered": answered, "applied": applied, "verified": time.monotonic() - begun,
            "cpu": _spent(before, bed.cpu())}


def changes(bed: Bed, count: int, rounds: int) -> Results:
    """Adds, changes and deletes one tenant beside the `count` that are there, again and again."""
    samples: dict[str, list[dict[str, float]]] = {"add": [], "change": [], "delete": []}
    before = bed.cpu()
    begun = time.monotonic()
    for number in range(rounds):
        index = count + number % 50
        first, second = configuration.tenant(index, bed.name), configuration.changed(index, bed.name)
        add_change_delete(bed, bed.ovs, first, second, samples)
    spent = _spent(before, bed.cpu())
    return {"tenants": count, "samples": samples, "seconds": time.monotonic() - begun, "cpu": spent}


def add_change_delete(bed: PrivateController, ovs: Ovs, first: Results, second: Results,
                      samples: dict[str, list[dict[str, float]]]) -> None:
    """Adds a tenant as `first`, changes it to `second` and deletes it, and adds the times to those in `samples`.

    ovs: the switch that the tenant is on, the node of which alone is waited for
    """
    node = first["attachment"][0]["node"]
    samples["add"].append(_change(bed, node, functools.partial(_put_tenant, bed, first)))
    _expect(ovs, first, True)
    samples["change"].append(_change(bed, node, functools.partial(_put_tenant, bed, second)))
    _expect(ovs, second, True)
    samples["delete"].append(_change(bed, node, functools.partial(
        bed.restconf.delete, f"{NETWORK}/tenant={first['name']}")))
    _expect(ovs, second, False)


def _put_tenant(bed: PrivateController, entry: Results) -> None:
    bed.restconf.replace(f"{NETWORK}/tenant={entry['name']}", {"penstock:tenant": [entry]})


def _change(bed: PrivateController, node: str, call: Callable[[], object]) -> dict[str, float]:
    begun = time.monotonic()
    call()
    answered = time.monotonic() - begun
    bed.applied(node)
    return {"answered": answered, "applied": time.monotonic() - begun}


def _expect(ovs: Ovs, entry: Results, there: bool) -> None:
    """What the controller says is worth nothing if the switch does not agree at that moment."""
    vlan = entry["attachment"][0]["vlan"]
    shown = commands.run("ovs-ofctl", "-O", "OpenFlow13", "dump-flows", BRIDGE, f"dl_vlan={vlan}",
                         environment=ovs.environment)
    if (f"dl_vlan={vlan} " in shown) != there:
        raise PenstockError(f"applied, but VLAN {vlan} is {'not ' if there else 'still '}on the switch")


def resync(bed: Bed, rounds: int) -> list[float]:
    """Reads the switch again and mends what differs, which is nothing."""
    samples = []
    for _ in range(rounds):
        begun = time.monotonic()
        done = bed.restconf.call(f"{OPERATIONS}:resync")["node"][0]
        samples.append(time.monotonic() - begun)
        if done["added"] or done["removed"]:
            raise PenstockError(f"resync found something to do: {done}")
    return samples


def verify(bed: Bed, rounds: int) -> list[float]:
    """Reads the switch and compares."""
    return [_timed(bed.verified) for _ in range(rounds)]


def restart(bed: Bed, how: str) -> Results:
    """Ends the controller, "kill" at once or "stop" in good order, and starts it again; traffic goes on meanwhile."""
    with Stream(bed) as stream:
        stream.await_traffic(30)
        flows = bed.verified()
        stream.forget()
        end = bed.controller.kill if how == "kill" else bed.controller.stop
        stopped = _timed(end)
        begun = time.monotonic()
        bed.controller.start(bed.settings)
        processes.wait_until(_opens, "OpenFlow listens", READY_SECONDS, poll_seconds=0.005)
        opened = time.monotonic()
        processes.wait_until(lambda: _quietly(bed.is_applied), "everything is applied", READY_SECONDS)
        applied = time.monotonic() - opened
        if bed.verified() != flows:
            raise PenstockError("after the restart other flows are planned than before")
        verified = time.monotonic() - opened
        stream.await_traffic(5)
        return {"how": how, "flows": flows, "stop": stopped, "start_to_port": opened - begun,
                "port_to_applied": applied, "port_to_verified": verified, **stream.result()}


def run(  # noqa: PLR0913  (how much is measured: all have defaults)
        directory: pathlib.Path, distribution: pathlib.Path, sizes: Sequence[int] = (10, 100, 1000, 5000),
        one_by_one_sizes: Sequence[int] = (10, 100, 1000), rounds: int = 30, restart_size: int = 1000,
        restarts: int = 1, java_options: Sequence[str] = (), say: Say = print) -> Results:
    """All measurements on a bed of its own. The first ones, which warm Java up, are not in the result."""
    result: Results = {"bulk": [], "changes": [], "one_by_one": [], "resync": [], "restarts": [], "memory": []}
    with Bed(directory, distribution, java_options) as bed:
        result["boot"] = bed.boot_seconds
        warm_up(bed, say)
        for count in sizes:
            bed.memory()
            result["bulk"] += [_told(say, bulk(bed, count)) for _ in range(_BULK_ROUNDS)]
            result["changes"].append(_told(say, changes(bed, count, rounds)))
            result["resync"].append({"tenants": count, "resync": resync(bed, 5), "verify": verify(bed, 5)})
            result["memory"].append(_told(say, {"tenants": count, **bed.memory()}))
        for count in one_by_one_sizes:
            result["one_by_one"].append(_told(say, one_by_one(bed, count)))
        bed.put(restart_size)
        bed.applied()
        for how in ("kill", "stop") * restarts:
            result["restarts"].append({"tenants": restart_size, **_told(say, restart(bed, how))})
    return result


def warm_up(bed: Bed, say: Say = print) -> None:
    """A thousand tenants and some changes that nobody counts."""
    _told(say, bulk(bed, 1000))
    _told(say, changes(bed, 1000, 20))


def _quietly(ask: Callable[[], bool]) -> bool:
    """False while the controller does not answer, or not yet as it should."""
    try:
        return ask()
    except (RestconfError, KeyError):
        return False


def _opens() -> bool:
    try:
        with socket.create_connection((ADDRESS, PORTS.openflow), timeout=1):
            return True
    except OSError:
        return False


def _timed(call: Callable[[], object]) -> float:
    begun = time.monotonic()
    call()
    return time.monotonic() - begun


def _spent(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {key: after[key] - before[key] for key in after}


def _told(say: Say, entry: Results) -> Results:
    shown = {key: value for key, value in entry.items() if key != "samples"}
    if "samples" in entry:
        shown |= {kind: f"{1000 * statistics.median(sample['applied'] for sample in samples):.0f} ms"
                  for kind, samples in entry["samples"].items()}
    say(json.dumps(shown, default=str))
    return entry
