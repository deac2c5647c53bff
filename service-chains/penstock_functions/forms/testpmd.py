# SPDX-License-Identifier: Apache-2.0
"""Forms container and netns: DPDK's testpmd, between its two vhost-user sockets or from them to two TAPs.

testpmd opens the second socket only when the switch has connected to the first, so a fresh instance waits with one
socket until the controller has made the ports.
"""

from penstock_node import commands, namespaces, processes
from penstock_node.hugepages import HugePages
from penstock_node.ovs import dpdk_prefix, remove_dpdk_directory
from penstock_node.steps import step

from ..counters import packets_by_name
from ..instance_files import SCHEDULING, SIDES

_QUEUE_SIZE = 1024
_PACKET_BUFFERS = 8192
_TAPS = {"in": "inside", "out": "outside"}
_BRIDGE = "chain"
_RIGHTS = {"container": "-all", "netns": "-all,+net_admin"}
"""Of testpmd, by form. It is root, because the sockets are root's, but only TAP devices need a right of root's."""


def lack(entry):
    """Why its huge pages cannot be had now: asking all the same drives out of memory what the kernel can spare."""
    return HugePages().problem(entry.memory_mb)


def start(instance, entry):
    """Starts testpmd in a namespace; for form netns with the rules, and with two TAPs that it bridges."""
    namespace = f"psf-{instance.node}-{instance.name}"
    owner = f"function {instance.directory.absolute()}"
    instance.save(namespace=namespace, hugepage_owner=owner)
    with step(f"function {instance.name}: namespace {namespace}"):
        namespaces.create(namespace)
        if entry.form == "netns":
            _set_rules(namespace, entry.rules)
    with step(f"function {instance.name}: {entry.memory_mb} MB of huge pages and testpmd on core {entry.core}") as line:
        with HugePages().reserve(owner, entry.memory_mb) as added:
            processes.start(_arguments(instance, entry), instance.process, instance.log, namespace=namespace,
                            hold_stdin=True, preexec=SCHEDULING[entry.scheduling])
            # The sockets are opened after the memory has been taken.
            processes.wait_until(instance.sockets["in"].exists, "testpmd", 20, instance.process, instance.log)
        line.note = f"{added} huge pages added"
    if entry.form == "netns":
        with step(f"function {instance.name}: bridge between {' and '.join(_TAPS.values())}"):
            _bridge(instance, namespace)


def is_ready(_):
    """It forwards from the moment that the switch is there."""
    return True


def facts(instance):
    """The counters of the rules: packets dropped, by reason."""
    if instance.state.get("form") != "netns":
        return {}
    listed = namespaces.execute(instance.state["namespace"], "nft", "--json", "list", "counters")
    return {"counters": packets_by_name(listed)}


def clean(instance):
    """Gives back what `start` has taken."""
    remove_dpdk_directory(instance.directory)
    if instance.state.get("namespace"):
        namespaces.delete(instance.state["namespace"])
    if instance.state.get("hugepage_owner"):
        HugePages().give_back(instance.state["hugepage_owner"])


def _arguments(instance, entry):
    rights = ["setpriv", "--clear-groups", f"--bounding-set={_RIGHTS[entry.form]}", "--inh-caps=-all", "--no-new-privs"]
    memory = ["--no-pci", "--no-telemetry", "--in-memory", "--single-file-segments",
              f"--file-prefix={dpdk_prefix(instance.directory)}", "-m", str(entry.memory_mb)]
    # The TAPs come first: opening a server socket blocks until the switch has connected.
    taps = [f"--vdev=net_tap{index},iface={_TAPS[side]}" for index, side in enumerate(SIDES)]
    users = [f"--vdev=net_virtio_user{index},path={instance.sockets[side]},server=1,queue_size={_QUEUE_SIZE}"
             for index, side in enumerate(SIDES)]
    if entry.form == "netns":
        devices, pairs = taps + users, "2,0,3,1"
    else:
        devices, pairs = users, "0,1"
    # Link state interrupts stay on: a server socket that has lost its switch is opened again by such an interrupt.
    return [*rights, "stdbuf", "-oL", "dpdk-testpmd", "--lcores", f"0@{entry.core},1@{entry.core}", *memory, *devices,
            "--", "--nb-cores=1", "--forward-mode=io", "--auto-start", f"--total-num-mbufs={_PACKET_BUFFERS}",
            f"--portlist={pairs}"]


def _set_rules(namespace, rules):
    namespaces.execute(
        namespace, "sysctl", "--quiet", "--write", "net.ipv6.conf.all.disable_ipv6=1",
        "net.ipv6.conf.default.disable_ipv6=1", "net.bridge.bridge-nf-call-iptables=1",
        "net.bridge.bridge-nf-call-ip6tables=1", "net.bridge.bridge-nf-filter-vlan-tagged=1")
    namespaces.execute(namespace, "nft", "--file", rules)


def _bridge(instance, namespace):
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
