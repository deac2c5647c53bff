# SPDX-License-Identifier: Apache-2.0
"""Form container with rules: an Open vSwitch with DPDK of its own, which owns the sockets and filters by flows.

Its database and its bridge serve nothing else. While it opens a socket, which takes until the switch has connected, it
does nothing else, so all that is to be said is said before.
"""

import dataclasses
import json
import pathlib
import time
import typing
from collections.abc import Iterator

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.steps import step
from penstock_node import switch_program
from penstock_node.ovs import Ovs

from .. import firewall_flows, firewall_rules
from ..function import Function
from ..instance_files import InstanceFiles
from . import dpdk
from .dpdk import clean, lack  # noqa: F401  (the same for all that DPDK runs)

PROCESSES = ("ovs-vswitchd", "ovsdb-server")
LOG_KEEPS = b""
LEAST_MEMORY_MB = 64
MOST_QUEUES = 2
"""As many transmit queues as threads: the one that polls, and the main thread."""
"""Below it there is no room for the buffers that Open vSwitch insists on, 16384 of them."""

_BRIDGE = "chain"
_PORTS = {"in": "inside", "out": "outside", "alt": "alternative"}
_MOST_SESSIONS = 262144
"""Of all tenants: what they need is ordinary memory, some 100 MB then. Linux has the same limit on most machines."""
_MAX_SLEEP_MICROSECONDS = 500
"""How long it rests at most when nothing comes, so that an idle one leaves its core to others."""
_ANSWER_SECONDS = 5
_FIRST_SECONDS, _READY_SECONDS = 5, 1
"""How long it may take to say whether it is ready: the first time, so that a busy machine is no fault, and later."""
_PROMPT_SECONDS = 0.3
_AGAIN_SECONDS = 5.0
"""One that is ready, or was not prompt, is not asked again so soon."""
_SILENT_SECONDS = 20.0
# The switch opens its bridge as a TAP device, for which nothing but net_admin will do. Its namespace has nothing else.
_RIGHTS: dict[str, dict[str, typing.Any]] = {
    "ovs-vswitchd": {"huge_pages": True, "capabilities": ("net_admin",), "devices": ("net/tun",)}, "ovsdb-server": {}}


@dataclasses.dataclass
class _Known:
    """What an instance has said: whether it is ready, when that was, and when to ask again."""
    pid: int | None
    ready: bool = False
    answered: float = 0.0
    due: float = 0.0


_known: dict[pathlib.Path, _Known] = {}
"""By directory."""


def start(instance: InstanceFiles, entry: Function) -> None:
    """Starts database and switch, and gives them flows, then ports. One socket is open when it returns."""
    dpdk.make_namespace(instance)
    ovs = _ovs(instance)
    root = _root(instance)
    seen = () if root == switch_program.MACHINE else (root,)
    rules = firewall_rules.load(entry.rule_file, entry.outputs)
    flows = instance.directory / "flows"
    flows.write_text("\n".join(firewall_flows.of(rules, entry.outputs)) + "\n", encoding="ascii")
    instance.save(counters=firewall_rules.counters(rules))
    with step(f"function {instance.name}: database server"):
        ovs.start_database(instance.confined(**_RIGHTS["ovsdb-server"], readable=seen), root=root)
        ovs.set_map("other_config", _settings(instance, entry))
    with dpdk.reserved(instance, entry, "ovs-vswitchd"):
        ovs.start_switch(None, [entry.own_core], instance.confined(**_RIGHTS["ovs-vswitchd"], readable=seen), None,
                         root)
    with step(f"function {instance.name}: flows and ports"):
        ovs.vsctl("add-br", _BRIDGE, "--", "set", "Bridge", _BRIDGE, "datapath_type=netdev", "fail_mode=secure")
        ovs.track_fragments(instance.state.get("accepted_switch_faults", []))
        ovs.appctl("dpctl/ct-set-maxconns", str(_MOST_SESSIONS))
        _ofctl(ovs, "add-flows", _BRIDGE, flows)
        ovs.vsctl("--no-wait", *_ports(instance, entry))
        # Which one it opens first is its own affair.
        processes.wait_until(lambda: any(path.exists() for path in instance.sockets.values()), "ovs-vswitchd",
                             dpdk.START_SECONDS, instance.process, instance.log)


def is_ready(instance: InstanceFiles) -> bool:
    """Whether the switch has made all its ports, as its database said lately.

    The agent waits for the answer, and a function that was taken over gives it late, or never: so it is asked for a
    second, some seconds apart. Until it answers again the last answer stands, for a while.
    """
    pid = processes.pid_of(instance.process)
    known = _known.get(instance.directory)
    if known is None or known.pid != pid:
        known = _known[instance.directory] = _Known(pid)
    begun = time.monotonic()
    if begun < known.due:
        return known.ready
    try:
        known.ready = _has_ports(instance, _FIRST_SECONDS if known.due == 0 else _READY_SECONDS)
        known.answered = time.monotonic()
    except Exception:  # noqa: BLE001  (it has ended this moment, hangs, or answers anything)
        known.ready = known.ready and begun - known.answered < _SILENT_SECONDS
    now = time.monotonic()
    known.due = now + (_AGAIN_SECONDS if known.ready or now - begun > _PROMPT_SECONDS else 0)
    return known.ready


def facts(instance: InstanceFiles) -> dict[str, object]:
    """The counters of the rules. Raises PenstockError if the switch does not answer."""
    if not is_ready(instance):
        return {}
    dumped = _ofctl(_ovs(instance), "dump-flows", _BRIDGE)
    return {"counters": firewall_flows.packets_by_name(instance.state["counters"], dumped)}


def _has_ports(instance: InstanceFiles, patience_seconds: float) -> bool:
    numbers = {row["name"]: row["ofport"]
               for row in _ovs(instance, patience_seconds).rows("Interface", "name", "ofport")}
    names = [_PORTS[side] for side in instance.sockets]
    return all(numbers.get(name) == firewall_flows.PORTS[name] for name in names)


def _ovs(instance: InstanceFiles, patience_seconds: float = 20) -> Ovs:
    return Ovs(instance.directory, instance.own, patience_seconds)


def _root(instance: InstanceFiles) -> pathlib.Path:
    """That of the node's switch."""
    return pathlib.Path(instance.state.get("switch_root") or switch_program.MACHINE)


def _settings(instance: InstanceFiles, entry: Function) -> dict[str, object]:
    return {"dpdk-init": "true",
            "dpdk-extra": " ".join(dpdk.memory_arguments(instance)) + switch_program.arguments(_root(instance)),
            "dpdk-socket-mem": entry.memory_mb,
            # Without a limit it takes further huge pages for its ports, from the program that asked for them.
            "dpdk-socket-limit": entry.memory_mb,
            "pmd-cpu-mask": hex(1 << entry.own_core), "n-handler-threads": 1, "n-revalidator-threads": 1,
            "pmd-maxsleep": 0 if entry.scheduling == "normal" else _MAX_SLEEP_MICROSECONDS}


def _ports(instance: InstanceFiles, entry: Function) -> Iterator[str]:
    for index, side in enumerate(instance.sockets):
        name = _PORTS[side]
        yield from ("--", "add-port", _BRIDGE, name, "--", "set", "Interface", name, "type=dpdk",
                    f"ofport_request={firewall_flows.PORTS[name]}",
                    "options:dpdk-devargs=" + json.dumps(dpdk.device(instance, entry, index, side)),
                    f"options:n_rxq={entry.queues}",
                    # Its one polling thread would send by one queue.
                    f"other_config:tx-steering={'hash' if entry.queues > 1 else 'thread'}",
                    f"options:n_rxq_desc={dpdk.QUEUE_SIZE}", f"options:n_txq_desc={dpdk.QUEUE_SIZE}",
                    # A socket that has lost its switch is opened again by such an interrupt.
                    "options:dpdk-lsc-interrupt=true")


def _ofctl(ovs: Ovs, *arguments: object) -> str:
    return run("ovs-ofctl", "-O", "OpenFlow13", f"--timeout={_ANSWER_SECONDS}", *arguments, environment=ovs.environment)
