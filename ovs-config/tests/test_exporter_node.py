# SPDX-License-Identifier: Apache-2.0
"""The exporter of a real node with packets, which tells what the tools of Open vSwitch tell; and its records."""

import contextlib
import datetime
import ipaddress
import os
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import time
import unittest
import urllib.request

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from prometheus_client.parser import text_string_to_metric_families

from penstock_base import processes
from penstock_base.commands import run
from penstock_exporter import switch_answers
from penstock_node import node_exporter, node_records
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, inside, internal_ports, reaches

_PORT = 9475
_ADDRESS = "192.0.2.1"


def _certificate(folder, name, issuer=None):
    """Makes NAME.pem and NAME.key, signed by an issuer (certificate, key), or by itself as an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer[0].subject if issuer else subject)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(_ADDRESS))]), False)
            .sign(issuer[1] if issuer else key, hashes.SHA256()))
    (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return made, key


@pytest.mark.node
class ExporterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.folder = cls.box.run_directory / "tls"
        cls.folder.mkdir()
        authority, other = (_certificate(cls.folder, name) for name in ("ca", "other-ca"))
        for name, issuer in (("node", authority), ("scraper", authority), ("stranger", other)):
            _certificate(cls.folder, name, issuer)
        cls.name, cls.directory = cls.box.running_node("a", metrics={})
        cls.ovs = Ovs(cls.directory)
        cls.namespace = cls.box.status(cls.name)["namespace"]
        internal_ports(cls.ovs, cls.namespace, "p1")
        cls.ovs.vsctl("add-port", BRIDGE, "polled", "--", "set", "Interface", "polled", "type=dpdkvhostuserclient",
                      f"options:vhost-server-path={cls.directory}/polled.sock")

    def get(self, address="127.0.0.1", context=None, headers=None):
        """The text of a scrape by a client in the namespace of the machine."""
        scheme = "https" if context else "http"
        request = urllib.request.Request(f"{scheme}://{address}:{_PORT}/metrics", headers=headers or {})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                             *([urllib.request.HTTPSHandler(context=context)] if context else []))
        return inside(self.box.controller, lambda: opener.open(request, timeout=60).read().decode())

    def samples(self, text=None):
        return {(sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
                for metric in text_string_to_metric_families(text or self.get()) for sample in metric.samples}

    def until_served(self, **how):
        def served():
            try:
                return self.get(**how)
            except OSError:
                return None
        processes.wait_until(served, "the exporter", 90)

    def until_tells(self, condition, what):
        """Waits for a scrape that fits; returns it. A reading has a second, in which a busy machine may not answer."""
        found = []

        def fits():
            found[:] = [self.samples()]
            return condition(found[0])
        processes.wait_until(fits, what, 120, poll_seconds=0.5)
        return found[0]

    def test_values_are_those_of_the_tools(self):
        self.ovs.vsctl("set", "Bridge", BRIDGE, "fail_mode=standalone")
        self.addCleanup(self.ovs.vsctl, "set", "Bridge", BRIDGE, "fail_mode=secure")
        subprocess.run(["ip", "netns", "exec", self.namespace, "ip", "address", "add", "203.0.113.1/24", "dev", "p1"],
                       check=True)
        reaches(self.namespace, "203.0.113.9", attempts=3)  # ARP requests that nothing answers.
        self.until_served()

        def fits(found):
            """The switch writes its counters every few seconds; a scrape may be a second old."""
            statistics = self.ovs.get("Interface", "p1", "statistics")
            return statistics["rx_packets"] and found["ovs_up",] and all(
                found.get((f"ovs_interface_{key}_total", BRIDGE, "p1")) == statistics[key]
                for key in ("rx_packets", "rx_bytes", "tx_packets", "rx_dropped", "tx_errors") if key in statistics)
        found = self.until_tells(fits, "the counters of the database")
        self.assertEqual(found["ovs_bridge_ports", BRIDGE], len(self.ovs.vsctl("list-ports", BRIDGE).split()) + 1)
        told = switch_answers.datapath(self.ovs.appctl("dpctl/show"))
        self.assertGreater(told["missed"], 0)
        self.assertLessEqual(found["ovs_datapath_lookups_missed_total",], told["missed"])
        self.assertEqual(found["ovs_conntrack_entries_limit",], int(self.ovs.appctl("dpctl/ct-get-maxconns")))
        ((node, core),) = switch_answers.threads(self.ovs.appctl("dpif-netdev/pmd-perf-show", "-nh"))
        before = found["ovs_pmd_iterations_total", core, node]
        self.until_tells(lambda found: found.get(("ovs_pmd_iterations_total", core, node), 0) > before, "more turns")
        # The switch tells it when it has measured for some seconds.
        self.until_tells(lambda found: ("ovs_pmd_rxq_usage_ratio", core, "polled", node, "0") in found,
                         "the usage of the queue")
        self.assertGreater(found["ovs_coverage_bridge_reconfigure_total",], 0)
        self.assertEqual(found["penstock_node_service_up", "agent"], 1)
        pages = sum(value for key, value in found.items() if key[0] == "penstock_node_huge_pages")
        self.assertGreater(pages, 0)

    def test_promtool_has_no_finding(self):
        self.until_served()
        done = subprocess.run(["promtool", "check", "metrics"], input=self.get(), capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        self.assertTrue(self.get(headers={"Accept": "application/openmetrics-text"}).endswith("# EOF\n"))

    @contextlib.contextmanager
    def stopped_switch(self):
        """The switch stands in the body."""
        others = [self.directory / f"{name}.process" for name in ("agent", "watch")]

        def all_stand():
            """They have each other, and the switch, go on."""
            for other in others:
                os.kill(processes.pid_of(other), signal.SIGSTOP)
            return all(map(processes.is_stopped, others))
        processes.wait_until(all_stand, "agent and watch stand", 60)
        pids = [processes.pid_of(process) for process in (*others, self.ovs.switch_process)]
        try:
            os.kill(pids[-1], signal.SIGSTOP)
            yield
        finally:
            for pid in reversed(pids):
                os.kill(pid, signal.SIGCONT)

    def test_a_switch_that_is_stopped_is_told(self):
        self.until_served()
        with self.stopped_switch():
            found = self.until_tells(lambda found: (found["ovs_up",], found["ovs_database_up",]) == (0, 1), "it stands")
        self.assertIn(("ovs_interface_link_up", BRIDGE, "p1"), found)
        self.until_tells(lambda found: found["ovs_up",] == 1, "it goes on")

    @pytest.mark.deep
    @pytest.mark.metrics
    def test_a_switch_that_is_stopped_delays_no_scrape(self):
        self.until_served()
        time.sleep(1.1)  # What was read last is forgotten.
        with self.stopped_switch():
            begun = time.monotonic()
            found = self.samples()
            self.assertLess(time.monotonic() - begun, 2)
        self.assertEqual((found["ovs_up",], found["ovs_database_up",]), (0, 1))

    def test_it_has_no_rights_and_comes_back(self):
        self.until_served()
        process = node_exporter.process_of(self.directory)
        pid = processes.pid_of(process)
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        self.assertIn("CapEff:\t0000000000000000", status)
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertFalse(pathlib.Path(f"/proc/{pid}/root/etc/passwd").exists())
        os.kill(pid, signal.SIGKILL)
        processes.wait_until(lambda: processes.pid_of(process) not in (None, pid), "the next one", 90)
        self.until_served()

    def test_beyond_loopback_only_with_a_certificate_of_the_authority(self):
        subprocess.run(["ip", "-n", self.box.controller, "address", "replace", f"{_ADDRESS}/32", "dev", "lo"],
                       check=True)
        tls = {"certificate": f"{self.folder}/node.pem", "key": f"{self.folder}/node.key",
               "ca": f"{self.folder}/ca.pem"}
        _, plain = self.box.node("a", metrics={"address": _ADDRESS})
        self.assertIn("metrics.address", self.box.ovs_config("up", plain, code=2))
        _, profile = self.box.node("a", metrics={"address": _ADDRESS}, controller={"tls": tls})
        self.assertIn(f"the switch is started again to see {self.folder}", self.box.ovs_config("up", profile))
        self.addCleanup(lambda: self.box.ovs_config("up", self.box.node("a", metrics={})[1]))
        seen = pathlib.Path(f"/proc/{processes.pid_of(self.ovs.switch_process)}/root", *self.folder.parts[1:])
        self.assertTrue((seen / "node.key").exists())

        def client(name):
            context = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
            if name:
                context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
            return context
        self.until_served(address=_ADDRESS, context=client("scraper"))
        self.assertIn("ovs_up 1.0", self.get(_ADDRESS, client("scraper")))
        for name in (None, "stranger"):
            with self.subTest(name), self.assertRaises(OSError):
                self.get(_ADDRESS, client(name))
        with self.assertRaises(OSError):
            self.get(_ADDRESS)  # Plain text.
        with self.assertRaises(OSError):
            self.get()  # On loopback it is no longer.

    def test_records_of_connections(self):
        link = inside(self.box.controller, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.addCleanup(link.close)
        link.bind(("127.0.0.1", 0))
        link.settimeout(180)
        records = {"collector": f"127.0.0.1:{link.getsockname()[1]}", "interval-seconds": 5}
        self.box.ovs_config("up", self.box.node("a", metrics={}, connection_records=records)[1])
        process = node_records.process_of(self.directory)
        self.addCleanup(lambda: self.assertFalse(processes.is_running(process)))
        self.addCleanup(lambda: self.box.ovs_config("up", self.box.node("a", metrics={})[1]))
        pid = processes.pid_of(process)
        status = pathlib.Path(f"/proc/{pid}/status")
        processes.wait_until(lambda: "CapEff:\t0000000000000000" in status.read_text(encoding="ascii"),
                             "it has no rights", 180)
        os.kill(pid, signal.SIGKILL)  # Another one comes, and tells what there is.

        def flows(*words):
            run("ovs-ofctl", "-O", "OpenFlow13", *words, environment=self.ovs.environment)
        flows("add-flow", BRIDGE, "cookie=7,priority=9,ip,actions=ct(commit,zone=2,nat(src=203.0.113.7))")
        self.addCleanup(flows, "del-flows", BRIDGE, "cookie=7/-1")
        for words in (["address", "replace", "10.0.0.5/24", "dev", "p1"],
                      ["neighbour", "replace", "10.0.0.9", "lladdr", "02:00:00:00:00:09", "dev", "p1"]):
            subprocess.run(["ip", "-n", self.namespace, *words], check=True)
        reaches(self.namespace, "10.0.0.9", attempts=1)
        message = link.recv(2000)
        event, vrf, protocol, source, _, destination = struct.unpack_from("!BIBIHI", message, len(message) - 39 + 8)
        self.assertEqual((event, vrf, protocol, source, destination), (4, 2, 1, 0x0a000005, 0x0a000009))
        self.assertEqual(struct.unpack_from("!I", message, len(message) - 13), (0xcb007107,))

    def test_two_nodes_with_one_port(self):
        self.until_served()
        name, directory = self.box.running_node("b", metrics={}, hugepage_memory_mb=832)
        processes.wait_until(lambda: "metrics.port" in (directory / "exporter.log").read_text(encoding="utf-8"),
                             "the error", 90)
        self.assertEqual(self.box.status(name)["state"], "running")
        self.box.ovs_config("down", name)
        self.until_tells(lambda found: found["ovs_up",] == 1, "the first one is served")
