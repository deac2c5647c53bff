# SPDX-License-Identifier: Apache-2.0
"""Three machines with a controller each, by the commands of docs/deploy.md: three Debian 12 with systemd that share
nothing but a network. The controller that is the master is killed."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import pytest

import deploy_commands
from debian_machine import Machine, base
from penstock_base import namespaces, packages, places
from penstock_base.commands import run
from penstock_launcher import package
from penstock_node import switch_root
from penstock_node.hugepages import HugePages

pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.packages]

_NUMBERS = (1, 2, 3)
_EDGE = 1
"""The machine with a node, that of the document's tenant; the others have a controller alone."""
_NODE = f"d{os.getpid()}e"
_SERVER = "198.51.100.1"
_COPY = "cp --archive /switch /var/lib/copy && mv --no-target-directory /var/lib/copy /var/lib/penstock-switch"
"""What gives Open vSwitch to a machine without a network."""
# What a test cannot have as it is in the document: network cards, names, memory.
_INSTEAD = (
    ("apt install ./penstock-*.deb",
     "apt-get install --yes --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "
     "/packages/*.deb"),
    ("ovs-config switch --fetch", _COPY),
    (', type: dpdk, devargs: "0000:03:00.0"', ""), (', type: dpdk, devargs: "0000:03:00.1"', ""),
    ("member: member-$n", "member: member-$n\nheap: 1g"), ("edge", _NODE))
_LEASES = {"penstock:network": {"tenant": [{"name": "red", "dhcp": {"subnet": [{"prefix": "10.0.0.0/24", "pool": [
    {"first": "10.0.0.100", "last": "10.0.0.199"}]}]}}]}}

_ANSIBLE = places.ROOT / "karaf" / "ansible"
_FILES = "/root/penstock-files"


def _inventory():
    """That of the example, with what a test cannot have as it is there."""
    hosts = {f"machine-{number}": {"penstock_member": f"member-{number}", "penstock_address": f"192.0.2.{number}"}
             for number in _NUMBERS}
    return json.dumps({
        "all": {"vars": {"penstock_packages": "/packages", "penstock_files": _FILES, "ansible_connection": "local",
                         "ansible_python_interpreter": "/usr/bin/python3"}},
        "controllers": {"hosts": hosts, "vars": {"penstock_controller": {"heap": "1g"}}},
        "nodes": {"hosts": {f"machine-{_EDGE}": {"penstock_node": f"{_NODE}{_EDGE}"}}, "vars": {"penstock_profile": {
            "pmd-cores": [1], "hugepage-memory-mb": 832, "access-ports": [{"name": "acc0"}],
            "uplink-ports": [{"name": "up0"}], "dns": {}}}}})


class ThreeMachinesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        packages.install((*packages.TEST_PACKAGES, "udhcpc"))
        switch_root.ensure()
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="psd-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.blocks = deploy_commands.read(_INSTEAD)
        cls.root = cls.installed(base(package.run(directory=cls.directory / "packages"), ["ansible-core"]))

    @classmethod
    def installed(cls, root):
        """The root of a machine with the packages. They are unpacked once: all machines have the same."""
        first = Machine(root, {"/packages": cls.directory / "packages"})
        try:
            first.ok("/bin/bash", "-ec", cls.blocks["each"])
            first.ok("apt-get", "install", "--yes", "--no-install-recommends", "ansible-core")
        finally:
            layer = first.close(cls.directory / "installed")
        return layer

    def setUp(self):
        self.addCleanup(HugePages().give_back, f"node /run/penstock/{_NODE}{_EDGE}")
        self.machines = {}
        for number in _NUMBERS:
            self.machines[number] = Machine(self.root, {"/packages": self.directory / "packages",
                                                        "/ansible": _ANSIBLE,
                                                        "/switch": switch_root.directory()})
            self.addCleanup(self.machines[number].close)
        self.spaces = {name: f"pst-{os.getpid()}-{name}" for name in ("net", "host", "other", "transit")}
        for name in self.spaces.values():
            namespaces.create(name)
            self.addCleanup(namespaces.delete, name)
        self.cables()

    def test_commands_of_the_document(self):
        self.commands(1, "first")
        for number, machine in self.machines.items():
            shutil.copytree(self.machines[1].root / "root" / f"machine-{number}",
                            machine.root / "etc" / "penstock" / "tls", dirs_exist_ok=True)
        for number in _NUMBERS:
            self.commands(number, "controller")
        for number in _NUMBERS:
            self.until_active(number)
        self.commands(_EDGE, "node")
        self.assertRegex(self.commands(3, "rest", "configuration"), r"^20[0-9]$")
        self.serve()
        # The machine of the node is no router.
        self.assertEqual(self.machines[_EDGE].ok("sysctl", "-n", "net.ipv4.ip_forward",
                                                 "net.ipv4.conf.eth0.forwarding"), "0\n0\n")
        self.fail_over()

    def test_playbook(self):
        """The same by Ansible: on each machine with its local connection."""
        for machine in self.machines.values():
            (machine.root / "root" / "inventory.yaml").write_text(_inventory(), encoding="utf-8")
            machine.ok("systemctl", "unmask", "penstock-controller")  # As before the packages were installed.
        self.machines[_EDGE].ok("/bin/sh", "-ec", _COPY)
        self.plays(1, "certificates")
        for number in _NUMBERS[1:]:
            shutil.copytree(self.machines[1].root / _FILES[1:], self.machines[number].root / _FILES[1:])
        with contextlib.ExitStack() as stack:
            # They wait for each other.
            playing = [stack.enter_context(self.playing(number, "site")) for number in reversed(_NUMBERS)]
            for play in playing:
                said = play.communicate(timeout=900)[0]
                self.assertEqual(play.returncode, 0, said)
        self.assertRegex(self.plays(1, "site"), r"changed=0 .*failed=0", "a second run changes nothing")
        self.serve()

    def plays(self, number, name):
        with self.playing(number, name) as play:
            said = play.communicate(timeout=900)[0]
        self.assertEqual(play.returncode, 0, said)
        return said

    def playing(self, number, name):
        limit = [] if name == "certificates" else ["--limit", f"machine-{number}"]
        return subprocess.Popen(self.machines[number].words(
            "ansible-playbook", "--inventory", "/root/inventory.yaml", *limit,
            f"/ansible/{name}.yaml"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def serve(self):
        """A tenant, until its hosts have traffic and leases."""
        self.customers()
        self.assertRegex(self.commands(3, "rest", "tenant"), r"^20[0-9]$")
        self.assertRegex(self.rest(2, f"PATCH data/penstock:network -d '{json.dumps(_LEASES)}'"), r"^20[0-9]$")
        self.machines[_EDGE].until(lambda: self.ping("-c", "1", "-W", "1") == 0, "the first ping", 120)
        self.lease("other")

    def fail_over(self):
        master, epoch = self.master()
        with tempfile.TemporaryFile("w+") as output, subprocess.Popen(
                ["ip", "netns", "exec", self.spaces["host"], "ping", "-i", "0.1", _SERVER], stdout=output) as ping:
            try:
                self.machines[master].ok("systemctl", "kill", "--signal=KILL", "penstock-controller")
                run("ip", "-n", self.spaces["other"], "link", "set", "eth0", "address", "02:00:00:00:77:02")
                self.lease("other")
                after, greater = self.master(next(number for number in _NUMBERS if number != master))
            finally:
                ping.send_signal(2)
            ping.wait(20)
            output.seek(0)
            said = output.read()
        self.assertNotEqual(after, master)
        self.assertGreater(greater, epoch)
        self.assertRegex(said, r"\b0% packet loss", said[-300:])
        self.assertEqual(self.ping("-c", "1", "-W", "2"), 0)
        self.until_active(master)

    def until_active(self, number):
        """Waits until the controller of a machine is ready."""
        machine = self.machines[number]
        machine.until(lambda: machine.run("systemctl", "is-active", "penstock-controller")[1] == "active\n",
                      f"the controller of machine {number}", 600)

    def cables(self):
        """The network of the machines, and the cables of the node to its customer and to a transit router."""
        net = self.spaces["net"]
        run("ip", "-n", net, "link", "add", "br0", "type", "bridge")
        namespaces.set_up("br0", net)
        for number, machine in self.machines.items():
            self.cable(net, f"m{number}", "eth0", machine.pid)
            run("ip", "-n", net, "link", "set", f"m{number}", "master", "br0")
            # Else systemd makes it of the machine's id, which is the same for all of one layer.
            machine.ok("ip", "link", "set", "eth0", "address", f"02:00:c0:00:02:0{number}", "up")
            machine.ok("ip", "address", "add", f"192.0.2.{number}/24", "dev", "eth0")
        edge = self.machines[_EDGE]
        edge.ok("ip", "link", "add", "acc0", "type", "veth", "peer", "name", "customers")
        self.cable(self.spaces["transit"], "eth0", "up0", edge.pid)
        for name in ("host", "other"):
            self.cable(self.spaces[name], "eth0", name, edge.pid)
        for words in (("host", "address", "add", "10.0.0.10/24", "dev", "eth0"),
                      ("host", "route", "add", "default", "via", "10.0.0.1"),
                      ("transit", "address", "add", f"{_SERVER}/24", "dev", "eth0"),
                      ("transit", "route", "add", "203.0.113.0/28", "via", "198.51.100.2")):
            run("ip", "-n", self.spaces[words[0]], *words[1:])

    def customers(self):
        """Plugs two hosts into a switch with tags: a bridge of the node's, for not every kernel has VLAN devices."""
        edge, node = self.machines[_EDGE], f"{_NODE}{_EDGE}"
        for port in ("customers", "host", "other"):
            edge.ok("ip", "link", "set", port, "netns", f"ps-{node}", "up")
            edge.ok("ip", "netns", "exec", f"ps-{node}", "ethtool", "-K", port, "tx", "off")
        edge.ok("ovs-vsctl", "--timeout=10", f"--db=unix:/run/penstock/{node}/db.sock", "add-br", "tags", "--", "set",
                "Bridge", "tags", "datapath_type=netdev", "--", "add-port", "tags", "customers", "trunks=100", "--",
                "add-port", "tags", "host", "tag=100", "--", "add-port", "tags", "other", "tag=100")

    @staticmethod
    def cable(space, name, there, pid):
        """A cable from a namespace here into the network of a machine."""
        run("ip", "-n", space, "link", "add", name, "type", "veth", "peer", "name", there, "netns", pid)
        namespaces.set_up(name, space)
        namespaces.disable_checksum_offload(name, space)

    def commands(self, number, *names):
        commands = "".join(self.blocks[name] for name in names)
        return self.machines[number].ok("/bin/bash", "-ec", f"n={number}\n{commands}")

    def rest(self, number, request):
        """A request by the function of the document."""
        return self.machines[number].ok("/bin/bash", "-ec", f"{self.blocks['rest']}\nrest {request}")

    def master(self, asked=1):
        """(number of the master, epoch), as one of the members has it."""
        said = self.rest(asked, "GET data/penstock-allocation:allocations/mastership")
        stored = json.loads(said[:said.rindex("}") + 1])["penstock-allocation:mastership"]
        return int(stored["member"].removeprefix("member-")), int(stored["epoch"])

    def ping(self, *options):
        return subprocess.run(["ip", "netns", "exec", self.spaces["host"], "ping", *options, _SERVER],
                              stdout=subprocess.DEVNULL, check=False).returncode

    def lease(self, name):
        """A host asks for an address until it has one."""
        said = run("ip", "netns", "exec", self.spaces[name], "udhcpc", "-i", "eth0", "-f", "-q", "-n", "-T", "1", "-t",
                   "40", "-s", "/bin/true")
        self.assertNotIn("fail", said)


if __name__ == "__main__":
    unittest.main()
