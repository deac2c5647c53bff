# SPDX-License-Identifier: Apache-2.0
"""Forms container, without rules, and netns: DPDK's testpmd, between its two sockets or from them to two TAPs."""

import pathlib
import typing

from penstock_base import commands, namespaces, processes
from penstock_base.steps import step

from .. import firewall_nft
from ..counters import packets_by_name
from ..function import Function
from ..instance_files import SIDES, InstanceFiles
from . import dpdk
from .dpdk import clean, lack  # noqa: F401  (the same for all that DPDK runs)

PROCESSES = ("testpmd",)
LOG_KEEPS = b""

_PACKET_BUFFERS = 8192
"""For each queue."""
_TAPS = {"in": "inside", "out": "outside"}
_BRIDGE = "chain"
_ANSWER_SECONDS = 5
_RIGHTS: dict[str, dict[str, typing.Any]] = {
    "container": {"huge_pages": True},
    "netns": {"huge_pages": True, "capabilities": ("net_admin",), "devices": ("net/tun",)}}
"""Of testpmd, by form: only TAP devices need a right of root's, in a namespace that has nothing else."""


def start(instance: InstanceFiles, entry: Function) -> None:
    """Starts testpmd in a namespace; for form netns with the rules, and with two TAPs that it bridges."""
    namespace = dpdk.make_namespace(instance)
    if entry.form == "netns":
        _set_rules(namespace, instance.directory / "rules.nft", entry.rule_file)
    with dpdk.reserved(instance, entry, "testpmd"):
        processes.start(_arguments(instance, entry), instance.process, instance.log, hold_stdin=True)
        # The sockets are opened after the memory has been taken.
        processes.wait_until(instance.sockets["in"].exists, "testpmd", dpdk.START_SECONDS, instance.process,
                             instance.log)
    if entry.form == "netns":
        with step(f"function {instance.name}: bridge between {' and '.join(_TAPS.values())}"):
            _bridge(instance, namespace)


def is_ready(_: InstanceFiles) -> bool:
    """It forwards from the moment that the switch is there."""
    return True


def facts(instance: InstanceFiles) -> dict[str, object]:
    """The counters of the rules: packets dropped, by reason."""
    if instance.state.get("form") != "netns":
        return {}
    listed = namespaces.execute(instance.state["namespace"], "nft", "--json", "list", "counters",
                                timeout_seconds=_ANSWER_SECONDS)
    return {"counters": packets_by_name(listed)}


def _arguments(instance: InstanceFiles, entry: Function) -> list[str]:
    # The TAPs come first: opening a server socket blocks until the switch has connected.
    taps = [f"--vdev=net_tap{index},iface={_TAPS[side]}" for index, side in enumerate(SIDES)]
    users = [f"--vdev={dpdk.device(instance, entry, index, side)}" for index, side in enumerate(SIDES)]
    if entry.form == "netns":
        devices, pairs = taps + users, "2,0,3,1"
    else:
        devices, pairs = users, "0,1"
    # Link state interrupts stay on: a server socket that has lost its switch is opened again by such an interrupt.
    return [*instance.confined(**_RIGHTS[entry.form]), "stdbuf", "-oL", "dpdk-testpmd",
            "--lcores", f"0@{entry.core},1@{entry.core}", "-m", str(entry.memory_mb),
            *dpdk.memory_arguments(instance), *devices, "--",
            "--nb-cores=1", "--forward-mode=io", "--auto-start", f"--rxq={entry.queues}", f"--txq={entry.queues}",
            f"--total-num-mbufs={entry.queues * _PACKET_BUFFERS}", f"--portlist={pairs}"]


def _set_rules(namespace: str, loaded: pathlib.Path, rules: pathlib.Path) -> None:
    """Loads a file of rules; what the kernel got stays in file `loaded`."""
    loaded.write_text(firewall_nft.of_file(rules), encoding="utf-8")
    namespaces.execute(
        namespace, "sysctl", "--quiet", "--write", "net.ipv6.conf.all.disable_ipv6=1",
        "net.ipv6.conf.default.disable_ipv6=1", "net.bridge.bridge-nf-call-iptables=1",
        "net.bridge.bridge-nf-call-ip6tables=1", "net.bridge.bridge-nf-filter-vlan-tagged=1")
    namespaces.execute(namespace, "nft", "--file", loaded)


def _bridge(instance: InstanceFiles, namespace: str) -> None:
    """Joins the TAPs by a bridge that never learns: what comes in by one port goes out by the other."""
    taps = list(_TAPS.values())
    processes.wait_until(lambda: all(namespaces.link_exists(tap, namespace) for tap in taps), "testpmd", 10,
                         instance.process, instance.log)
    commands.run("ip", "-n", namespace, "link", "add", "name", _BRIDGE, "type", "bridge", "stp_state", "0",
                 "forward_delay", "0", "mcast_snooping", "0")
    for tap in taps:
        commands.run("ip", "-n", namespace, "link", "set", "dev", tap, "master", _BRIDGE)
        commands.run("bridge", "-n", namespace, "link", "set", "dev", tap, "learning", "off")
        namespaces.set_up(tap, namespace)
    namespaces.set_up(_BRIDGE, namespace)
