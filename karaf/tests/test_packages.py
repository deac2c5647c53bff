# SPDX-License-Identifier: Apache-2.0
"""Packages in a Debian 12 with systemd: installed, with a tenant and traffic, upgraded meanwhile, removed, purged."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pytest

import deploy_commands
from debian_machine import Machine, base
from penstock_base import packages
from penstock_launcher import package
from penstock_node import switch_root
from penstock_node.hugepages import HugePages

pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.packages]

# Its huge pages are in the ledger of this machine, by this name.
_NAME = f"d{os.getpid()}"
_CONTROLLER, _HOST, _SERVER = "192.0.2.1", "10.0.0.10", "198.51.100.10"
_PROFILE = {"name": _NAME, "pmd-cores": [0], "hugepage-memory-mb": 832, "access-ports": [{"name": "acc0"}],
            "uplink-ports": [{"name": "up0"}], "dns": {}, "controller": {"address": _CONTROLLER, "tls": {
                name: f"/etc/penstock/tls/{_NAME}/{file}.pem"
                for name, file in (("certificate", "certificate"), ("key", "key"), ("ca", "ca"))}}}
_NODE = {"penstock:network": {"node": [{"name": _NAME, "address": _CONTROLLER}]}}
_NETWORK = {"penstock:network": {
    "backbone": {"interface": [{"node": _NAME, "port": "up0", "prefix": "203.0.113.128/25",
                                "address": "203.0.113.130"}],
                 "route": [{"prefix": "0.0.0.0/0", "next-hop": "203.0.113.129"}]},
    "pool": [{"name": "public", "prefix": ["203.0.113.0/28"]}],
    "tenant": [{"name": "red", "attachment": [{"name": "office", "node": _NAME, "port": "acc0", "vlan": 100}],
                "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}],
                "nat": {"pool": "public"}}]}}
# The tags are those of a bridge in the node's switch, as in the sample network: not every kernel has VLAN devices.
_PORTS = """\
ip address add {controller}/32 dev lo
ip netns add host
ip netns add transit
ip link add acc0 type veth peer name cust
ip link add up0 type veth peer name eth0 netns transit
ip -n transit address add 203.0.113.129/25 dev eth0
ip -n transit address add {server}/32 dev lo
ip -n transit link set lo up
ip -n transit link set eth0 up
ip -n transit route add 203.0.113.0/28 via 203.0.113.130
"""
_CUSTOMER = """\
ip link set cust netns ps-{node} up
ip link add eth0 netns host type veth peer name office netns ps-{node}
ip -n ps-{node} link set office up
ip -n host address add {host}/24 dev eth0
ip -n host link set eth0 up
ip -n host route add default via 10.0.0.1
for end in "host eth0" "transit eth0" "ps-{node} cust" "ps-{node} office"; do
    set -- $end
    ip netns exec $1 ethtool -K $2 tx off
done
ovs-vsctl --timeout=10 --db=unix:/run/penstock/{node}/db.sock add-br customers \
    -- set Bridge customers datapath_type=netdev -- add-port customers cust -- set Port cust trunks=100 \
    -- add-port customers office -- set Port office tag=100
"""
_REST = """\
curl -sS --fail-with-body -u "admin:$(cat /var/lib/penstock/controller/password)" -X PATCH --data @- \
    -H 'Content-Type: application/yang-data+json' http://127.0.0.1:8181/rests/data/penstock:network
"""
# As docs/deploy.md has it, but for the node's files, which are on the same machine.
_SHELL = ("/bin/sh", "-ec")
# Types words and a tab into an interactive shell, and waits for what it makes of them.
_TAB = """\
import os, pty, select, sys, time
process, terminal = pty.fork()
if process == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
os.write(terminal, f". /usr/share/bash-completion/bash_completion\\n{sys.argv[1]}\\t".encode())
said, deadline = b"", time.monotonic() + 30
while sys.argv[2].encode() not in said and (left := deadline - time.monotonic()) > 0:
    if select.select([terminal], [], [], left)[0]:
        said += os.read(terminal, 65536)
os.kill(process, 9)
os.waitpid(process, 0)
print(said.decode(errors="replace"))
sys.exit(sys.argv[2].encode() not in said)
"""


class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages.install(packages.TEST_PACKAGES)
        switch_root.ensure()
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="psd-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.first, cls.second = (package.run(revision, cls.directory / f"v{revision}") for revision in (1, 2))

    def test_lintian_finds_no_error(self):
        said = subprocess.run(["lintian", "--fail-on", "error", *self.first], capture_output=True, text=True,
                              check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_life_of_packages(self):
        machine = Machine(base(self.first), {"/packages": self.directory, "/switch": switch_root.directory()})
        self.addCleanup(HugePages().give_back, f"node /run/penstock/{_NAME}")  # Where it was not taken down.
        self.addCleanup(machine.close)
        self.install(machine)
        self.complete(machine)
        self.serve(machine)
        self.upgrade(machine)
        self.purge_functions(machine)
        self.remove(machine)

    def install(self, machine):
        machine.ok(*_SHELL, "apt-get install --yes --no-install-recommends /packages/v1/*.deb")
        # The defaults are good: the controller is ready when the installation ends.
        self.assertEqual(machine.ok("systemctl", "is-active", "penstock-controller"), "active\n")
        self.assertIn("no nodes", machine.ok("penstock", "status"))
        for unit in ("openvswitch-switch", "ovs-vswitchd", "ovsdb-server", "unbound"):
            self.assertEqual(machine.run("systemctl", "is-enabled", unit)[1], "masked\n", unit)
        self.assertEqual(machine.ok("systemctl", "--failed", "--quiet"), "")
        self.assertIn("COMMANDS", machine.ok("gzip", "-dc", "/usr/share/man/man8/penstock.8.gz"))
        # The client is where Python looks for it, and the collection where Ansible does.
        machine.ok("python3", "-I", "-c", "import penstock_client")
        machine.ok("test", "-f", "/usr/share/ansible/collections/ansible_collections/penstock/edge/galaxy.yml")

    def complete(self, machine):
        for typed, completed in (("penstock sta", "penstock status "), ("penstock pki iss", "penstock pki issue "),
                                 ("penstock pki issue --addr", "penstock pki issue --address "),
                                 ("penstock-controller che", "penstock-controller check "),
                                 ("ovs-config sta", "ovs-config status "), ("functions rel", "functions release "),
                                 ("nat64 sta", "nat64 sta")):
            with self.subTest(typed):
                machine.ok("python3", "-c", _TAB, typed, completed)

    def serve(self, machine):
        machine.ok(*_SHELL, _PORTS.format(controller=_CONTROLLER, server=_SERVER))
        machine.ok(*_SHELL, deploy_commands.read()["alone"])
        machine.ok("penstock", "pki", "issue", "node", _NAME, "--out", f"/etc/penstock/tls/{_NAME}")
        listed = json.loads(machine.ok("penstock", "pki", "list", "--json"))["issued"]
        self.assertEqual([(each["kind"], each["name"], each["state"]) for each in listed],
                         [("member", "member-1", "valid"), ("node", _NAME, "valid")])
        self.assertIn(f"node {_NAME}: good for", machine.ok("penstock", "pki", "check", f"/etc/penstock/tls/{_NAME}"))
        machine.ok("tee", f"/etc/penstock/nodes/{_NAME}.yaml", text=json.dumps(_PROFILE))
        units = f"penstock-node@{_NAME}", f"penstock-functions@{_NAME}"
        self.assertNotEqual(machine.run("systemctl", "enable", "--now", *units)[0], 0)
        self.assertEqual(machine.run("systemctl", "is-failed", units[0])[1], "failed\n")
        self.assertIn("no Open vSwitch in /var/lib/penstock-switch: fetch it with ovs-config switch --fetch",
                      machine.ok("journalctl", "--no-pager", "--unit", units[0]))
        # It has no network.
        machine.ok(*_SHELL, "cp --archive /switch /var/lib/copy && mv --no-target-directory /var/lib/copy "
                   "/var/lib/penstock-switch")
        machine.ok("systemctl", "start", *units)
        machine.ok(*_SHELL, _CUSTOMER.format(host=_HOST, node=_NAME))
        machine.ok(*_SHELL, _REST, text=json.dumps(_NODE))
        self.await_node(machine)
        machine.ok(*_SHELL, _REST, text=json.dumps(_NETWORK))
        machine.until(lambda: self.ping(machine, "-c", "1", "-W", "1") == 0, "the first ping", 60)

    @staticmethod
    def await_node(machine):
        """Waits until the node is connected and has the flows of its plan."""
        machine.until(lambda: re.search(rf"(?m)^{_NAME} +yes .* 0 +0 +0$", machine.run("penstock", "status")[1]),
                      "the node in sync", 60)

    @staticmethod
    def ping(machine, *options):
        return machine.run("ip", "netns", "exec", "host", "ping", *options, _SERVER)[0]

    def programs(self, machine):
        """{program: process id} of a node and its agents."""
        found = {}
        # Its exit code is 1 where none of them runs.
        _, listed = machine.run("ps", "-C", "python3,ovs-vswitchd,ovsdb-server", "-o", "pid=,args=")
        for line in listed.splitlines():
            number, words = line.split(maxsplit=1)
            name = re.search(r"ovs-vswitchd|ovsdb-server|penstock_\w+\.(?:agent|node_watch)", words)
            if name:
                found[name[0]] = int(number)
        return found

    def upgrade(self, machine):
        before = self.programs(machine)
        self.assertEqual(set(before), {"ovs-vswitchd", "ovsdb-server", "penstock_node.agent",
                                       "penstock_node.node_watch", "penstock_functions.agent"})
        # Into a file: ping would wait for the reader of a pipe, and lose nothing.
        with tempfile.TemporaryFile("w+") as output, subprocess.Popen(
                machine.words("ip", "netns", "exec", "host", "ping", "-i", "0.01", _SERVER), stdout=output) as ping:
            try:
                machine.ok(*_SHELL, "apt-get install --yes --no-install-recommends /packages/v2/*.deb")
                # The controller has begun again, and is in sync.
                self.await_node(machine)
            finally:
                machine.run("pkill", "-INT", "-x", "ping")
            ping.wait(20)
            output.seek(0)
            answered = {int(number) for number in re.findall(r"(?m)icmp_seq=(\d+) ttl", output.read())}
        self.assertGreater(len(answered), 300)
        # The last ones were on their way when ping was ended.
        self.assertEqual([number for number in range(1, max(answered)) if number not in answered], [])
        after = self.programs(machine)
        same = {"ovs-vswitchd", "ovsdb-server"}
        self.assertEqual({name: before[name] == after.get(name) for name in before},
                         {name: name in same for name in before})
        self.assertTrue(machine.ok("ovs-config", "--version").endswith("+2\n"))

    def purge_functions(self, machine):
        machine.ok("mkdir", "-p", "/var/cache/penstock", "/var/lib/penstock/nat64")
        machine.ok("apt-get", "purge", "--yes", "penstock-functions")
        self.assertEqual(set(self.programs(machine)), {"ovs-vswitchd", "ovsdb-server", "penstock_node.agent",
                                                       "penstock_node.node_watch"})
        self.assertEqual(machine.ok("find", "/etc", "/usr", "/var", "-xdev", "(", "-name", "penstock-functions*", "-o",
                                    "-path", "/var/lib/penstock/nat64", "-o", "-path", "/var/cache/penstock", ")"), "")
        self.assertEqual(self.ping(machine, "-c", "1", "-W", "1"), 0)

    def remove(self, machine):
        machine.ok("apt-get", "remove", "--yes", "penstock-common")
        self.assertEqual(self.programs(machine), {})
        self.assertNotIn(f"ps-{_NAME}", machine.ok("ip", "netns"))
        machine.ok("test", "-e", "/var/lib/penstock/controller/password")
        machine.ok("apt-get", "purge", "--yes",
                   *(f"penstock-{part}" for part in ("common", "controller", "node")))
        left = machine.ok("find", "/etc", "/usr", "/var", "-xdev", "(", "-path", "/etc/penstock/tls", "-o", "-path",
                          "/var/lib/penstock/pki", ")", "-prune", "-o", "(", "-path", "*penstock*", "-o", "-lname",
                          "/dev/null", "-path", "/etc/systemd/*", ")", "-print")
        self.assertEqual(sorted(left.split()), ["/etc/penstock", "/etc/penstock/nodes",
                                                f"/etc/penstock/nodes/{_NAME}.yaml", "/var/lib/penstock"])
        self.assertEqual(machine.run("getent", "passwd", "penstock")[0], 2)


if __name__ == "__main__":
    unittest.main()
