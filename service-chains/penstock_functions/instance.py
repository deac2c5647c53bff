# SPDX-License-Identifier: Apache-2.0
"""Instances of network functions beside a node: start, stop, state.

An instance owns the two sockets <vhost-user-directory>/<instance>-in.sock and -out.sock; the switch connects to them.
testpmd opens the second socket only when the switch has connected to the first, so a fresh instance waits with one
socket until the controller has made the ports. What has to be undone is written to
<run-directory>/<node>/functions/<instance>/state.json before it is done.
"""

import json
import pathlib
import re
import shutil
import uuid

from penstock_node import commands, locks, namespaces, node, processes
from penstock_node.errors import PenstockError, ProfileError
from penstock_node.hugepages import HugePages
from penstock_node.ovs import Ovs, dpdk_prefix, remove_dpdk_directory
from penstock_node.profile import default_run_directory
from penstock_node.steps import say, step

from . import catalogue

# An OpenFlow port name has 15 letters. Longer names work as long as their first 15 letters differ, so the last letters
# of <instance>-in and <instance>-out may be cut, but not both words.
_NAME = re.compile(r"^[a-z][a-z0-9-]{0,12}$")
_QUEUE_SIZE = 1024
_PACKET_BUFFERS = 8192
_SIDES = ("in", "out")
_TAPS = {"in": "inside", "out": "outside"}
_BRIDGE = "chain"


def start(name, node_name, function=None, run_directory=None, core=None, scheduling=None, wait_seconds=0):
    """Starts instance `name` of a catalogue function (by default that of the same name).

    core, scheduling: replace what the catalogue says. wait_seconds: if not 0, wait that long for the switch to connect.
    Returns True if anything had to be done.
    """
    if not _NAME.match(name):
        raise PenstockError(f"{name}: an instance name is a lower-case letter, then at most 12 of a-z, 0-9 and '-'")
    run_directory = pathlib.Path(run_directory or default_run_directory())
    entry = function if isinstance(function, catalogue.Function) else catalogue.find(function or name)
    core = entry.core if core is None else core
    instance = _Instance(name, node_name, run_directory)
    with _locked(instance):
        if instance.is_running():
            if instance.state.get("function") != entry.name:
                raise PenstockError(f"{name} runs already, as {instance.state.get('function')}; stop it first")
            say(f"function {name} on {node_name} is running already; nothing changed")
            started = False
        else:
            _start(instance, entry, core, scheduling or entry.scheduling)
            started = True
    if wait_seconds:
        with step(f"function {name}: the switch connects to both sockets"):
            processes.wait_until(instance.is_attached, f"function {name}", wait_seconds, instance.process, instance.log)
    return started


def stop(name, node_name, run_directory=None):
    """Stops an instance and removes what belongs to it, also after a crash. Returns True if there was anything."""
    instance = _Instance(name, node_name, pathlib.Path(run_directory or default_run_directory()))
    with _locked(instance):
        if not instance.directory.exists():
            say(f"function {name} on {node_name} is not running; nothing to do")
            return False
        with step(f"function {name} on {node_name}: stop"):
            _clean(instance)
        return True


def status(run_directory=None, node_name=None):
    """One dict for each instance, sorted by node and name."""
    root = pathlib.Path(run_directory or default_run_directory())
    paths = sorted(root.glob(f"{node_name or '*'}/functions/*/state.json"))
    return [_Instance(path.parent.name, path.parents[2].name, root).describe() for path in paths]


def _start(instance, entry, core, scheduling):
    node_state = node.read_state(instance.node, instance.run_directory)
    wrong = catalogue.machine_problems(entry)
    if wrong:
        raise ProfileError(wrong, entry.name)
    if instance.directory.exists():
        _clean(instance)
    instance.directory.mkdir(parents=True)
    namespace = f"psf-{instance.node}-{instance.name}" if entry.form == "netns" else None
    owner = f"function {instance.directory.absolute()}"
    instance.save(function=entry.name, form=entry.form, core=core, scheduling=scheduling, namespace=namespace,
                  hugepage_owner=owner, vhost_user_directory=node_state["wanted"]["vhost_user_directory"])
    if namespace:
        with step(f"function {instance.name}: namespace {namespace} and its rules"):
            _prepare_namespace(namespace, entry.rules)
    with step(f"function {instance.name}: {entry.memory_mb} MB of huge pages and testpmd on core {core}") as line:
        for path in instance.sockets.values():
            path.unlink(missing_ok=True)
        with HugePages().reserve(owner, entry.memory_mb) as added:
            processes.start(_arguments(instance, entry, core), instance.process, instance.log, namespace=namespace,
                            hold_stdin=True, preexec=_SCHEDULING[scheduling])
            # The sockets are opened after the memory has been taken.
            processes.wait_until(instance.sockets["in"].exists, "testpmd", 20, instance.process, instance.log)
        line.note = f"{added} huge pages added"
    if namespace:
        with step(f"function {instance.name}: bridge between {' and '.join(_TAPS.values())}"):
            _bridge(instance, namespace)


def _arguments(instance, entry, core):
    memory = ["--no-pci", "--no-telemetry", "--in-memory", "--single-file-segments",
              f"--file-prefix={dpdk_prefix(instance.directory)}", "-m", str(entry.memory_mb)]
    # The TAPs come first: opening a server socket blocks until the switch has connected.
    taps = [f"--vdev=net_tap{index},iface={_TAPS[side]}" for index, side in enumerate(_SIDES)]
    users = [f"--vdev=net_virtio_user{index},path={instance.sockets[side]},server=1,queue_size={_QUEUE_SIZE}"
             for index, side in enumerate(_SIDES)]
    if entry.form == "netns":
        devices, pairs = taps + users, "2,0,3,1"
    else:
        devices, pairs = users, "0,1"
    # Link state interrupts stay on: a server socket that has lost its switch is opened again by such an interrupt.
    return ["stdbuf", "-oL", "dpdk-testpmd", "--lcores", f"0@{core},1@{core}", *memory, *devices, "--", "--nb-cores=1",
            "--forward-mode=io", "--auto-start", f"--total-num-mbufs={_PACKET_BUFFERS}", f"--portlist={pairs}"]


def _prepare_namespace(namespace, rules):
    namespaces.create(namespace)
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


def _clean(instance):
    # Nothing is lost with it, and while it waits for the switch it does not listen to a polite signal.
    processes.stop(instance.process, timeout_seconds=1)
    remove_dpdk_directory(instance.directory)
    for path in instance.sockets.values():
        path.unlink(missing_ok=True)
    if instance.state.get("namespace"):
        namespaces.delete(instance.state["namespace"])
    if instance.state.get("hugepage_owner"):
        HugePages().give_back(instance.state["hugepage_owner"])
    shutil.rmtree(instance.directory, ignore_errors=True)


_SCHEDULING = {"idle": lambda: processes.take_place(19),
               "low": lambda: processes.take_place(10), "normal": None}


def _locked(instance):
    return locks.held("function-" + str(uuid.uuid5(uuid.NAMESPACE_URL, str(instance.directory.absolute()))))


class _Instance:
    """Names and files of an instance."""

    def __init__(self, name, node_name, run_directory):
        self.name = name
        self.node = node_name
        self.run_directory = run_directory
        self.directory = run_directory / node_name / "functions" / name
        self.process = self.directory / "testpmd.process"
        self.log = self.directory / "testpmd.log"
        self.state = locks.read_json(self.directory / "state.json", {})

    @property
    def sockets(self):
        """Paths of the two sockets by side."""
        directory = self.state.get("vhost_user_directory") or self.run_directory / self.node / "vhost"
        return {side: pathlib.Path(directory) / f"{self.name}-{side}.sock" for side in _SIDES}

    def save(self, **changes):
        """Remembers facts, on disk too."""
        self.state.update(changes)
        locks.write_json(self.directory / "state.json", self.state)

    def is_running(self):
        """Whether testpmd runs."""
        return processes.is_running(self.process)

    def connected(self):
        """For each side, whether the switch is connected to its socket."""
        # The kernel lists an accepted socket in the network namespace of the side that has connected: the switch.
        pid = processes.pid_of(Ovs(self.run_directory / self.node).switch_process)
        if pid is None or not self.is_running():
            return dict.fromkeys(_SIDES, False)
        try:
            lines = pathlib.Path(f"/proc/{pid}/net/unix").read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        # Columns: Num RefCount Protocol Flags Type St Inode Path; state 03 is connected.
        established = {fields[7] for fields in map(str.split, lines) if len(fields) > 7 and fields[5] == "03"}
        return {side: str(path) in established for side, path in self.sockets.items()}

    def is_attached(self):
        """Whether the switch is connected to both sockets."""
        return all(self.connected().values())

    def describe(self):
        """All facts of the instance for people and programs."""
        pid = processes.pid_of(self.process)
        connected = self.connected()
        state = "failed" if pid is None else "attached" if all(connected.values()) else "waiting"
        facts = {"name": self.name, "function": self.state.get("function"), "node": self.node,
                 "form": self.state.get("form"), "state": state, "pid": pid, "core": self.state.get("core"),
                 "scheduling": self.state.get("scheduling"), "namespace": self.state.get("namespace"),
                 "sockets": {side: {"path": str(path), "connected": connected[side]}
                             for side, path in self.sockets.items()},
                 "resident-mb": processes.resident_megabytes(pid) if pid else 0,
                 "cpu-seconds": processes.cpu_seconds(pid) if pid else 0.0, "log": str(self.log)}
        if self.state.get("namespace") and pid:
            facts["counters"] = _counters(self.state["namespace"])
        return facts


def _counters(namespace):
    """The named counters of the rules: packets dropped, by reason."""
    listed = namespaces.execute(namespace, "nft", "--json", "list", "counters")
    entries = (item.get("counter") for item in json.loads(listed)["nftables"])
    return {entry["name"]: entry["packets"] for entry in entries if entry}
