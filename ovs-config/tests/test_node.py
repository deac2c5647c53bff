# SPDX-License-Identifier: Apache-2.0
"""Real switches: up, twice up, traffic, crash, down, and nothing left. Needs root, Open vSwitch and DPDK."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

import pytest

from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_node import node_protocol, supervision, switch_faults, switch_program
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import OVS_CONFIG, Sandbox, listen, pages_of_nobody, reaches, send_over_tcp

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node


class NodeTest(unittest.TestCase):

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def assert_nothing_left(self, *names):
        self.assertEqual(self.box.processes(), [])
        self.assertEqual(self.box.namespaces_left(), [])
        self.assertEqual(pages_of_nobody(), self.box.pages_of_nobody)
        for name in names:
            self.assertFalse((self.box.run_directory / name).exists())
            self.assertFalse(namespaces.link_exists(f"psm-{name}", self.box.controller))
        self.assertEqual(namespaces.addresses("lo", self.box.controller), ["127.0.0.1"])

    def test_two_nodes_side_by_side(self):
        a, profile_a = self.box.node("a")
        b, profile_b = self.box.node("b")
        self.box.ovs_config("up", profile_a)
        self.box.ovs_config("up", profile_b)
        self.assertEqual({self.box.status(name)["state"] for name in (a, b)}, {"running"})
        addresses = {self.box.status(name)["management-address"] for name in (a, b)}
        self.assertEqual(len(addresses), 2)
        for name in (a, b):
            self.assertTrue(reaches(f"ps-{name}", "169.254.77.1"))
            # Two userspace datapaths in one namespace would clash here.
            Ovs(self.box.run_directory / name).vsctl("add-br", "br0", "--", "set", "bridge", "br0",
                                                     "datapath_type=netdev")
        for address in addresses:
            self.assertTrue(reaches(self.box.controller, address))
        self.box.ovs_config("down", a)
        self.assertEqual(self.box.status(b)["state"], "running")
        self.assertTrue(reaches(f"ps-{b}", "169.254.77.1"), "the last node keeps the controller address")
        self.box.ovs_config("down", b)
        self.assert_nothing_left(a, b)
        self.assertIn("nothing to do", self.box.ovs_config("down", b))

    def test_controllers_on_another_machine(self):
        """The switch reaches each of them, from the address of its machine, as soon as the database names it."""
        away = self.box.machine("away", "192.0.2.1", "192.0.2.11")
        run("ip", "-n", away, "address", "add", "192.0.2.2/24", "dev", "eth0")
        a, profile = self.box.node("a", controller={"address": "192.0.2.1"})
        self.box.ovs_config("up", profile)
        self.assert_switch_connects(a, away, "192.0.2.1")
        self.assertIn("nothing changed", self.box.ovs_config("up", profile))
        self.box.node("a", controller={"addresses": ["192.0.2.2", "169.254.77.1"], "openflow-port": 16653})
        self.box.ovs_config("up", profile)
        self.assert_switch_connects(a, away, "192.0.2.2", 16653)
        self.assert_switch_connects(a, self.box.controller, "169.254.77.1", 16653,
                                    self.box.status(a)["management-address"])
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    def assert_switch_connects(self, node, machine, address, port=6653, source="192.0.2.11"):
        with listen(machine, address, port) as listener:
            listener.settimeout(60)
            Ovs(self.box.run_directory / node).vsctl("--no-wait", "set-controller", BRIDGE, f"tcp:{address}:{port}")
            link, peer = listener.accept()
            with link:
                link.settimeout(60)
                self.assertEqual((peer[0], link.recv(2)[1]), (source, 0), "OFPT_HELLO")

    def test_announcement_reaches_the_controller(self):
        """The node connects to the controller by itself, with its name in the database by then."""
        a, profile = self.box.node("a", controller={"ovsdb-port": 16640}, access_ports=[
            {"name": "acc0", "type": "dpdk", "devargs": "net_null0", "receive-queues": 2, "queue-cores": [0]}])
        listener = listen(self.box.controller, "0.0.0.0", 16640)
        self.addCleanup(listener.close)
        self.box.ovs_config("up", profile)
        listener.settimeout(60)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(60)
            connection.sendall(json.dumps({
                "method": "transact", "id": 1, "params": [
                    "Open_vSwitch", {"op": "select", "table": "Open_vSwitch", "where": [],
                                     "columns": ["external_ids", "dpdk_initialized"]}]}).encode())
            row = json.loads(_one_json(connection))["result"][0]["rows"][0]
        ids = dict(row["external_ids"][1])
        self.assertTrue(row["dpdk_initialized"])
        self.assertEqual((ids[node_protocol.NODE], ids[node_protocol.PROTOCOL]), (a, str(node_protocol.VERSION)))
        self.assertEqual(json.loads(ids[node_protocol.PORTS]),
                         [{"name": "acc0", "role": "access", "type": "dpdk", "devargs": "net_null0",
                           "receive-queues": 2, "queue-cores": [0]}])
        self.assertEqual(ids[node_protocol.VHOST_DIR], str(self.box.run_directory / a / "vhost"))
        self.assertIn("system-id", ids)

    def test_bridge_forwards_between_hosts(self):
        left = self.box.host("left", "10.9.0.1/24", "pl")
        right = self.box.host("right", "10.9.0.2/24", "pr")
        a, profile = self.box.node("a", access_ports=[{"name": "pl"}], uplink_ports=[{"name": "pr"}])
        self.box.ovs_config("up", profile)
        ovs = Ovs(self.box.run_directory / a)
        ovs.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev",
                  "--", "add-port", "br0", "pl", "--", "add-port", "br0", "pr")
        self.assertTrue(reaches(left, "10.9.0.2"))
        self.assertEqual(send_over_tcp(left, right, "10.9.0.2"), b"payload")
        self.box.ovs_config("down", a)
        for port in ("pl", "pr"):
            self.assertTrue(namespaces.link_exists(port, self.box.controller), f"{port} is back")
        self.assert_nothing_left(a)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_another_open_vswitch(self):
        """The machine's own, found in a directory: loader, libraries and drivers are taken from there."""
        root = self.box.run_directory / "debian"
        root.mkdir()
        accepted = [fault.name for fault in switch_faults.of(switch_program.version()[0]) if fault.refused]
        a, profile = self.box.node("a", switch_root=str(root), accepted_switch_faults=accepted)
        self.assertIn(f"switch-root: {root} has no loader", self.box.ovs_config("up", profile, code=2))
        for name in ("usr", "lib64"):
            (root / name).symlink_to(f"/{name}")
        self.box.ovs_config("up", profile)
        pid = self.box.status(a)["processes"]["ovs-vswitchd"]
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
        self.assertIn(f"\0{root}/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk\0", command)
        self.assertIn(f"{root}/lib64/ld-linux", str(pathlib.Path(command.partition("\0")[0]).readlink()))
        ovs = Ovs(self.box.run_directory / a)
        self.assertIn("Open vSwitch", ovs.appctl("version"))
        self.assertIn(f" -d {root}/usr/lib/", ovs.get("Open_vSwitch", ".", "other_config")["dpdk-extra"])
        ovs.vsctl("add-port", BRIDGE, "n0", "--", "set", "Interface", "n0", "type=dpdk",
                  "options:dpdk-devargs=net_null0")
        self.assertEqual(ovs.get("Interface", "n0", "error"), [])
        # Where the profile names none, the node keeps the one that it has.
        self.box.node("a", accepted_switch_faults=accepted)
        self.box.ovs_config("up", profile)
        self.box.node("a", switch_root="/", accepted_switch_faults=accepted)
        self.assertIn("switch-root: differs", self.box.ovs_config("up", profile, code=2))
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_queues_are_polled_where_the_profile_says(self):
        a, profile = self.box.node("a", pmd_cores=[0, 1])
        self.box.ovs_config("up", profile)
        ovs = Ovs(self.box.run_directory / a)
        # As the controller does it, whose tests show that it does what the node announces.
        ovs.vsctl("add-port", BRIDGE, "nic0", "--", "set", "Interface", "nic0", "type=dpdk",
                  'options:dpdk-devargs="net_null0,no-rx=1"', "options:n_rxq=2",
                  'other_config:pmd-rxq-affinity="0:1,1:0"', "--", "add-port", BRIDGE, "nic1",
                  "--", "set", "Interface", "nic1", "type=dpdk", 'options:dpdk-devargs="net_null1,no-rx=1"')
        shown = {}
        processes.wait_until(lambda: len(shown.update(_queues(ovs)) or shown) == 3, "all queues have a core", 120)
        self.assertEqual((shown["nic0", 0], shown["nic0", 1]), (1, 0))
        # Both cores have a queue of their own by now, and one of them takes this one too.
        self.assertIn(shown["nic1", 0], (0, 1))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_memory_of_a_numa_node(self):
        a, profile = self.box.node("a", hugepage_memory_mb=[832])
        self.box.ovs_config("up", profile)
        settings = Ovs(self.box.run_directory / a).get("Open_vSwitch", ".", "other_config")
        self.assertEqual((settings["dpdk-socket-mem"], settings["dpdk-socket-limit"]), ("832", "832" + 7 * ",1"))
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_crash_of_each_process(self):
        a, profile = self.box.node("a")
        self.box.ovs_config("up", profile)
        added = self.box.status(a)["huge-pages-added"]
        ovs = Ovs(self.box.run_directory / a)
        ovs.vsctl("add-br", "kept", "--", "set", "bridge", "kept", "datapath_type=netdev")
        for victims in ([ovs.switch_process], [ovs.database_process], [ovs.switch_process, ovs.database_process]):
            with self.subTest([path.name for path in victims]):
                before = {path: processes.pid_of(path) for path in victims}
                survivor = self.box.status(a)["processes"].get("ovs-vswitchd")
                for pid in before.values():
                    os.kill(pid, 9)
                self.assertIn("nothing changed", self.box.ovs_config("up", profile))
                processes.wait_until(lambda before=before: all(
                    processes.pid_of(path) not in (None, pid) for path, pid in before.items()), "the next ones", 120)
                if victims == [ovs.database_process]:
                    self.assertEqual(self.box.status(a)["processes"].get("ovs-vswitchd"), survivor)
                self.assertEqual(self.box.status(a)["state"], "running")
                processes.wait_until(lambda: self.box.status(a)["bridges"] == [BRIDGE, "kept"], "bridges", 120)
                # More, if another program of the machine took some while the switch was started again.
                self.assertGreaterEqual(self.box.status(a)["huge-pages-added"], added)
                self.assertGreaterEqual(_huge_kilobytes(processes.pid_of(ovs.switch_process)), 832 << 10)
        os.kill(processes.pid_of(ovs.switch_process), 9)
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    def test_up_after_all_has_ended(self):
        """As after a stop of the machine's processes without `down`."""
        a, profile = self.box.node("a")
        self.box.ovs_config("up", profile)
        ovs = Ovs(self.box.run_directory / a)
        tree = supervision.Tree(ovs.directory)
        files = tree.processes()
        # It starts the supervision again when it sees that it has ended.
        os.kill(processes.pid_of(files["watch"]), signal.SIGSTOP)
        for pid in [*tree.supervisors(), *map(processes.pid_of, files.values())]:
            os.kill(pid, signal.SIGKILL)
        processes.wait_until(lambda: not any(map(processes.is_running, files.values())), "their end", 60)
        self.assertEqual(self.box.status(a)["state"], "down")
        self.assertIn("supervision of its processes had ended", self.box.ovs_config("up", profile))
        self.assertEqual(self.box.status(a)["state"], "running")
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    def test_up_that_failed_half_way(self):
        """The switch does not start: what was made until then can be taken down, or built upon."""
        a, profile = self.box.node("a")
        broken = self.box.run_directory / "bin"
        broken.mkdir()
        (broken / "ovsdb-tool").write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
        (broken / "ovsdb-tool").chmod(0o755)
        said = self.box.command("env", f"PATH={broken}:{os.environ['PATH']}", sys.executable, "-B",
                                OVS_CONFIG, "up", profile, code=1)
        self.assertIn("ovsdb-tool", said)
        self.assertEqual(self.box.status(a)["state"], "down")
        self.box.ovs_config("up", profile)
        self.assertEqual(self.box.status(a)["state"], "running")
        self.box.ovs_config("down", a)
        self.assert_nothing_left(a)

    def test_up_that_failed_at_its_last_step(self):
        """The switch runs, and the controller is not known yet: the next `up` does the rest."""
        a, profile = self.box.node("a")
        broken = self.box.run_directory / "bin"
        broken.mkdir()
        (broken / "ovs-vsctl").write_text('#!/bin/sh\ncase "$*" in *del-manager*) exit 3;; esac\n'
                                          f'exec {shutil.which("ovs-vsctl")} "$@"\n', encoding="ascii")
        (broken / "ovs-vsctl").chmod(0o755)
        self.box.command("env", f"PATH={broken}:{os.environ['PATH']}", sys.executable, "-B", OVS_CONFIG, "up", profile,
                         code=1)
        ovs = Ovs(self.box.run_directory / a)
        self.assertEqual(ovs.vsctl("get-manager"), "")
        self.assertIn("the rest of an interrupted up", self.box.ovs_config("up", profile))
        self.assertIn("tcp:", ovs.vsctl("get-manager"))
        self.assertIn("nothing changed", self.box.ovs_config("up", profile))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_killed_at_any_moment(self):
        """`up` itself is killed, later each time; `down` then leaves nothing, and `up` works."""
        a, profile = self.box.node("a")
        for seconds in (0.15, 0.25, 0.35, 0.5, 0.7):
            with self.subTest(seconds=seconds):
                child = subprocess.Popen(
                    ["nsenter", f"--net=/run/netns/{self.box.controller}", str(OVS_CONFIG), "up", str(profile)],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    child.wait(seconds)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
                self.box.ovs_config("down", a)
                self.assert_nothing_left(a)
        self.box.ovs_config("up", profile)
        self.assertEqual(self.box.status(a)["state"], "running")

    def test_machine_problem_stops_before_anything_is_made(self):
        a, profile = self.box.node("a", pmd_cores=[4000])
        self.assertIn("pmd-cores[0]: this machine has no core 4000", self.box.ovs_config("up", profile, code=2))
        self.assert_nothing_left(a)


class RunningNodeTest(unittest.TestCase):
    """A node that runs. All begin with its plain profile."""

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.profile = cls.box.node("a")
        cls.box.ovs_config("up", cls.profile)

    def setUp(self):
        self.box.node("a")
        self.box.ovs_config("up", self.profile)

    def test_second_up_changes_nothing(self):
        before = self.box.status(self.name)
        # What else has the switch's cores must not starve its revalidators.
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, before["processes"]["ovs-vswitchd"]), -20)
        self.assertIn("running already; nothing changed", self.box.ovs_config("up", self.profile))
        self.assertEqual(self.box.status(self.name)["processes"], before["processes"])
        self.box.ovs_config("check", self.profile)

    def test_changed_profile(self):
        self.box.host("left", "10.9.0.1/24", "pl")
        self.box.node("a", access_ports=[{"name": "pl"}])
        self.box.ovs_config("up", self.profile)
        pids = self.box.status(self.name)["processes"]
        ovs = Ovs(self.box.run_directory / self.name)
        self.assertEqual(ovs.get("Open_vSwitch", ".", "other_config")["emc-insert-inv-prob"], "0")
        self.box.node("a", pmd_maxsleep_us=0, exact_match_cache=True, balance_queues=True)
        said = self.box.ovs_config("up", self.profile)
        self.assertIn("pmd_maxsleep_us", said)
        self.assertIn("exact_match_cache", said)
        settings = ovs.get("Open_vSwitch", ".", "other_config")
        self.assertEqual((settings["pmd-maxsleep"], settings["emc-insert-inv-prob"], settings["pmd-auto-lb"]),
                         ("0", "100", "true"))
        self.assertEqual(ovs.get("Open_vSwitch", ".", "external_ids")[node_protocol.PORTS], "[]")
        self.assertTrue(namespaces.link_exists("pl", self.box.controller), "the port is back")
        self.assertEqual(self.box.status(self.name)["processes"], pids)
        self.box.node("a", hugepage_memory_mb=1024)
        self.assertIn("hugepage-memory-mb: differs", self.box.ovs_config("up", self.profile, code=2))

    def test_up_after_the_loss_of_the_link_to_the_controller(self):
        before = self.box.status(self.name)["management-address"]
        run("ip", "-n", self.box.controller, "link", "delete", f"psm-{self.name}")
        self.assertIn("management veth, which was removed", self.box.ovs_config("up", self.profile))
        self.assertTrue(namespaces.link_exists(f"psm-{self.name}", self.box.controller))
        self.assertEqual(namespaces.addresses("mgmt0", f"ps-{self.name}"),
                         [self.box.status(self.name)["management-address"]])
        self.assertEqual(self.box.status(self.name)["management-address"], before)
        self.assertIn("nothing changed", self.box.ovs_config("up", self.profile))


def _huge_kilobytes(pid):
    """Huge pages that a process has, in kB."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"(?m)^HugetlbPages:\s+(\d+) kB$", text)[1])


def _queues(ovs):
    """Numbers of polling cores by port and receive queue."""
    core, result = None, {}
    for line in ovs.appctl("dpif-netdev/pmd-rxq-show").splitlines():
        if line.startswith("pmd thread"):
            core = int(re.search(r"core_id (\d+)", line)[1])
        elif (queue := re.search(r"port: (\S+) +queue-id: +(\d+)", line)):
            result[queue[1], int(queue[2])] = core
    return result


def _one_json(connection):
    """Reads until the bytes are one JSON document."""
    data = b""
    while True:
        data += connection.recv(65536)
        try:
            json.loads(data)
            return data
        except ValueError:
            continue


if __name__ == "__main__":
    unittest.main()
