# SPDX-License-Identifier: Apache-2.0
"""A controller's namespace, a run directory and hosts for tests with real switches. Nothing of a running network is
touched: every name carries the pid of the test."""

import contextlib
import ctypes
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading

from penstock_base import locks, namespaces
from penstock_base.commands import run
from penstock_node.hugepages import HugePages
from penstock_node.node_protocol import BRIDGE

OVS_CONFIG = pathlib.Path(__file__).resolve().parent.parent / "ovs-config"
FUNCTIONS = OVS_CONFIG.parent.parent / "service-chains" / "functions"
_PID = os.getpid()
_PATIENCE_SECONDS = 60
"""A limit costs nothing when a test passes."""
_CLONE_NEWNET = 0x40000000
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_WALL = 0x40000000


class Sandbox:
    """Made at the start of a test and closed at its end, when it says what was left behind."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.run_directory = pathlib.Path(self._directory.name)
        self.controller = f"psc-{_PID}"
        self.pages_of_nobody = pages_of_nobody()
        self._namespaces = []
        self._nodes = []
        self.namespace(self.controller)

    def namespace(self, name):
        """Makes a namespace that `close` removes."""
        namespaces.create(name)
        self._namespaces.append(name)
        return name

    def remove_namespace(self, name):
        """Removes one before `close` does."""
        self._namespaces.remove(name)
        namespaces.delete(name)

    def node(self, letter, **fields):
        """Writes the profile of a node; returns its name and the path of the profile."""
        name = f"t{_PID}{letter}"
        path = self.run_directory / f"{letter}.yaml"
        content = {"name": name, "pmd-cores": [0], "hugepage-memory-mb": 832,
                   "run-directory": str(self.run_directory)}
        content |= {key.replace("_", "-"): value for key, value in fields.items()}
        path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
        self._nodes.append(name)
        return name, path

    def running_node(self, letter, **fields):
        """Starts a node; returns its name and its directory."""
        name, profile = self.node(letter, **fields)
        self.ovs_config("up", profile)
        return name, self.run_directory / name

    def machine(self, name, address, own):
        """Another machine: a namespace with an address, on a cable to the controller's namespace, which gets the
        address `own`. Both are of one /24."""
        namespace = self.host(name, f"{address}/24", f"{name}0")
        run("ip", "-n", self.controller, "address", "add", f"{own}/24", "dev", f"{name}0")
        return namespace

    def host(self, name, address, port):
        """A host in a namespace of its own, with a veth pair whose end `port` is in the controller's namespace."""
        namespace = self.namespace(f"psh-{_PID}-{name}")
        namespaces.add_veth("eth0", namespace, port, self.controller)
        run("ip", "-n", namespace, "address", "add", address, "dev", "eth0")
        return namespace

    def command(self, *args, code=0):
        """Runs a program in the controller's namespace, checks its exit code, returns all it printed."""
        done = subprocess.run(
            ["nsenter", f"--net=/run/netns/{self.controller}", *map(str, args)], capture_output=True, text=True,
            env=dict(os.environ) | {"PENSTOCK_RUN_DIR": str(self.run_directory)}, check=False)
        if done.returncode != code:
            raise AssertionError(f"{args}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def ovs_config(self, *args, code=0):
        """Runs the ovs-config command."""
        return self.command(OVS_CONFIG, *args, code=code)

    def functions(self, *args, code=0):
        """Runs the command of service-chains."""
        return self.command(FUNCTIONS, *args, code=code)

    def status(self, name):
        """The status of one node."""
        nodes = json.loads(self.command(OVS_CONFIG, "status", "--json"))
        return next(node for node in nodes if node["name"] == name)

    def processes(self):
        """Command lines of all processes that have our run directory in them."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = path.read_text(encoding="utf-8", errors="replace").replace("\0", " ")
            except OSError:
                continue
            if str(self.run_directory) in text and "unittest" not in text:
                found.append(text)
        return found

    def namespaces_left(self):
        """Namespaces of our nodes and their functions that still exist."""
        listed = [entry["name"] for entry in json.loads(run("ip", "-j", "netns", "list") or "[]")]
        return [name for name in listed if f"-t{_PID}" in name]

    def close(self):
        """Removes everything, also after a failed test."""
        for state in self.run_directory.glob("*/functions/*"):
            self.functions("stop", state.name, "--node", state.parents[1].name)
        for name in self._nodes:
            self.command(OVS_CONFIG, "down", name)
        for name in self._namespaces:
            namespaces.delete(name)
        self._directory.cleanup()


def internal_ports(ovs, namespace, *names):
    """Adds ports with OpenFlow numbers from 1 to the bridge of a node; their ends in the namespace are up."""
    for number, name in enumerate(names, 1):
        ovs.vsctl("add-port", BRIDGE, name, "--", "set", "Interface", name, "type=internal",
                  f"ofport_request={number}")
        namespaces.set_up(name, namespace)


@contextlib.contextmanager
def hanging(pid):
    """A thread of a process (its main thread has the number of the process) runs and does nothing in the body, as in an
    endless loop; the process may be ended meanwhile."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_PTRACE_ATTACH, pid, 0, 0):
        raise AssertionError(os.strerror(ctypes.get_errno()))
    os.waitpid(pid, _WALL)
    # When it is ended its parent hears of that after us.
    reaper = threading.Thread(target=_reap, args=(pid,), daemon=True)
    reaper.start()
    try:
        yield
    finally:
        libc.ptrace(_PTRACE_DETACH, pid, 0, 0)


def _reap(pid):
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, _WALL)


def pages_of_nobody():
    """Huge pages that the kernel has and that no ledger entry explains: the same before and after a test, whoever
    else runs nodes on this machine at the time."""
    with locks.held("hugepages"):
        ledger = HugePages()._read()
        total = int(pathlib.Path("/proc/sys/vm/nr_hugepages").read_text(encoding="ascii"))
        return total - sum(sum(pages.values()) for pages in (*ledger["added"].values(), ledger["owed"]))


def reaches(namespace, address, *options, attempts=120):
    """Whether one of several pings is answered."""
    return any(subprocess.run(["ip", "netns", "exec", namespace, "ping", "-c", "1", "-W", "0.5", *options, address],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
               for _ in range(attempts))


def inside(namespace, make):
    """The result of `make()` called in another network namespace: a socket made there stays there."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if libc.setns(there, _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        return make()
    finally:
        libc.setns(home, _CLONE_NEWNET)
        os.close(home)
        os.close(there)


def _family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def listen(namespace, address, port):
    """A listening TCP socket in another namespace."""
    return inside(namespace, lambda: socket.create_server((address, port), family=_family(address)))


def udp(namespace, address, port):
    """A UDP socket in another namespace that waits for a packet; see `hears_nothing`."""
    def make():
        made = socket.socket(_family(address), socket.SOCK_DGRAM)
        made.bind((address, port))
        made.settimeout(_PATIENCE_SECONDS)
        return made
    return inside(namespace, make)


def hears_nothing(link):
    """Whether no packet comes to a socket for a second."""
    link.settimeout(1)
    try:
        link.recv(5000)
    except TimeoutError:
        return True
    finally:
        link.settimeout(_PATIENCE_SECONDS)
    return False


def send_over_tcp(client, server, address, port=7007, seconds=_PATIENCE_SECONDS):
    """Sends a few bytes over TCP from one namespace to another; what arrived, or None if no session came about."""
    with listen(server, "::" if ":" in address else "0.0.0.0", port) as listener:
        try:
            sender = inside(client, lambda: socket.create_connection((address, port), seconds))
        except OSError:
            return None
        listener.settimeout(seconds)
        connection, _ = listener.accept()
        with sender, connection:
            sender.sendall(b"payload")
            connection.settimeout(seconds)
            return connection.recv(100)
