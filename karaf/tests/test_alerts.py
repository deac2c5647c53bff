# SPDX-License-Identifier: Apache-2.0
"""`./penstock up --with-metrics`, and alerts that real faults fire in a real Prometheus and Alertmanager.

The Prometheus of `up` scrapes every 15 s, and alerts wait for minutes. A second one beside it scrapes every second and
has the same alerts with short times, so that each fault is seen, and its end too, within the time of a test.
"""

import json
import re
import time
import unittest

import pytest

from penstock_monitoring import dashboards
from penstock_monitoring.prometheus import ALERTS

from .machine import UpCase

pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.metrics]

_FIRED_SECONDS = 200
"""Counters of flows are read within 50 s, and a first value is no increase: two rounds, and some time."""
_PASSED_SECONDS = 150
_SHORT = "30s"
_MAY_BE_EMPTY = re.compile(r"> 0\)?$|port_blocks|tenant_sessions|certificate")
_FAST_PORT = 9091
_ALERTMANAGER = "127.0.0.1:9093"
_START = """
import os, pathlib
from penstock_monitoring.prometheus import Prometheus
state = pathlib.Path(os.environ["PENSTOCK_STATE_DIR"])
alerts = state / "fast-alerts.yaml"
password = (state / "metrics" / "password").read_text(encoding="utf-8")
fast = Prometheus(state / "fast", state / "fast.process", {port}, "1s")
fast.start(fast.configuration(["127.0.0.1:8181"], ["127.0.0.1:9475"], alerts, ["{alertmanager}"]), password, alerts)
"""
_CATCH_ALL = "route: {receiver: none}\nreceivers: [{name: none}]\n"
_CROWDED = {"penstock:network": {
    "pool": [{"name": "crowded", "prefix": ["203.0.113.64/32"]}],
    "tenant": [{"name": "crowd", "attachment": [{"name": "hall", "node": "edge1", "port": "acc0", "vlan": 480}],
                "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}], "nat": {"pool": "crowded"},
                "dhcp": {"subnet": [{"prefix": "10.0.0.0/24", "pool": [{"first": "10.0.0.50", "last": "10.0.0.50"}]}]},
                }]}}


class AlertsTest(UpCase):
    """One test: each step needs what the one before has left."""

    def setUp(self):
        super().setUp()
        self.state = self.machine.directory / "state"
        self.state.mkdir()
        # A disk of its own, which can be filled without harm to others.
        self.machine.output("mount", "-t", "tmpfs", "-o", "size=2g,mode=755", "tmpfs", self.state)

    def test_faults_fire_alerts_that_end_with_them(self):
        with self.undone():
            shown = self.penstock("up", "--with-metrics")
            self.assertIn("Prometheus    http://127.0.0.1:9090", shown)
            self.scrapes_by_an_account_that_only_reads()
            self.starts_a_fast_one()
            self.answers_all_queries_of_dashboards()
            self.passes("the edge is well")
            self.faults_of_tenants_and_functions()
            self.fault_of_the_disk()
            self.fault_of_the_way_to_the_node()
            self.fault_of_the_controller()
            self.assertNotIn("Penstock is up (", self.penstock("up", "--with-metrics"))
        self.assertEqual([line for line in self.machine.processes() if "alertmanager" not in line
                          and "fast" not in line], [])

    def get(self, port, path):
        return json.loads(self.machine.output("curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{port}{path}"))

    def scrapes_by_an_account_that_only_reads(self):
        deadline = time.monotonic() + 60
        while True:
            targets = self.get(9090, "/api/v1/targets")["data"]["activeTargets"]
            if [target["health"] for target in targets] == ["up", "up"]:
                break
            self.assertLess(time.monotonic(), deadline, targets)
            time.sleep(1)
        self.assertRegex(self.penstock("user", "list"), r"(?m)^prometheus +reader\b")

    def starts_a_fast_one(self):
        text = ALERTS.read_text(encoding="utf-8")
        text = re.sub(r"for: \w+", "for: 1s", text)
        text = re.sub(r"\[(5|10|15)m\]", f"[{_SHORT}]", text)
        self.write("fast-alerts.yaml", text)
        self.write("alertmanager.yaml", _CATCH_ALL)
        self.background("prometheus-alertmanager", f"--config.file={self.state}/alertmanager.yaml",
                        f"--storage.path={self.state}/alertmanager", f"--web.listen-address={_ALERTMANAGER}",
                        "--cluster.listen-address=")
        self.machine.output("env", f"PYTHONPATH={self.clone}/karaf:{self.clone}/ovs-config", "/usr/bin/python3", "-c",
                            _START.format(port=_FAST_PORT, alertmanager=_ALERTMANAGER))

    def write(self, name, text):
        """Into the state directory, which is a mount of the machine."""
        self.machine.output("sh", "-c", 'printf %s "$1" > "$2"', "sh", text, self.state / name)

    def background(self, *command):
        self.machine.output("setsid", "-f", "sh", "-c", 'exec "$@" > /dev/null 2>&1 < /dev/null', "sh", *command)

    def answers_all_queries_of_dashboards(self):
        deadline = time.monotonic() + 60
        for dashboard in dashboards.ALL:
            for query in dashboards.queries(dashboard):
                # Sums of what has not happened are empty, and so are ends of certificates without TLS.
                while not self.asked(query) and not _MAY_BE_EMPTY.search(query):
                    self.assertLess(time.monotonic(), deadline, f"{dashboard.name}: nothing for {query}")
                    time.sleep(1)

    def asked(self, query):
        said = self.machine.output("curl", "-sS", "--data-urlencode", f"query={query}",
                                   f"http://127.0.0.1:{_FAST_PORT}/api/v1/query")
        answer = json.loads(said)
        self.assertEqual("success", answer["status"], f"{query}: {said}")
        return answer["data"]["result"]

    def active(self):
        """Labels of what Alertmanager has."""
        return [alert["labels"] for alert in self.get(9093, "/api/v2/alerts")]

    def fires(self, *names):
        deadline = time.monotonic() + _FIRED_SECONDS
        waiting = set(names)
        while waiting:
            waiting -= {labels["alertname"] for labels in self.active()}
            self.assertLess(time.monotonic(), deadline, f"not fired: {waiting}")
            time.sleep(1)

    def passes(self, what):
        deadline = time.monotonic() + _PASSED_SECONDS
        while active := self.active():
            self.assertLess(time.monotonic(), deadline, f"after {what}: {active}")
            time.sleep(1)

    def restconf(self, method, path, body=None):
        command = ["curl", "-sS", "--fail-with-body", "-X", method, "-H", "Content-Type: application/yang-data+json",
                   "-u", "admin:" + self.machine.output("cat", self.state / "controller" / "password").strip()]
        command += ["-d", json.dumps(body)] if body else []
        self.machine.output(*command, f"http://127.0.0.1:8181/rests/data/{path}")

    def host(self, *arguments, check=True):
        run = self.machine.output if check else self.machine.run
        run(self.clone / "docs" / "examples" / "host", *arguments)

    def faults_of_tenants_and_functions(self):
        red = ("ip", "netns", "exec", "psl-red")
        self.machine.output("ip", "-n", "psl-red", "address", "add", "10.99.0.1/32", "dev", "eth0")
        self.restconf("PUT", "penstock:network/tenant=red/quota", {"penstock:quota": {"bandwidth-out": 100}})
        self.restconf("PATCH", "penstock:network", _CROWDED)
        self.host("add", "crowd1", "480", "dhcp")
        for source, size in (("10.99.0.1", 56), ("10.0.0.10", 1400)):
            self.background(*red, "timeout", "600", "ping", "-q", "-i", "0.01", "-s", size, "-I", source,
                            "198.51.100.10")
        self.machine.output("ip", "-n", "psl-transit", "link", "set", "eth0", "down")
        run = self.machine.directory / "run" / "edge1"
        # It is started again within seconds: it has to end some times to be seen down.
        self.background("sh", "-c", 'for i in $(seq 30); do kill -KILL $(head -n 1 "$1"); sleep 0.3; done', "sh",
                        run / "functions" / "fw1" / "testpmd.process")
        self.fires("PenstockFunctionDown", "PenstockInstanceDown", "PenstockTenantsNotActive")
        self.host("add", "crowd2", "480", "dhcp", check=False)
        self.machine.output("ovs-ofctl", "-O", "OpenFlow13", "del-flows", f"unix:{run}/br-penstock.mgmt", "table=0")
        self.fires("PenstockSpoofing", "PenstockLimited", "PenstockPortDown", "PenstockPoolNearlyUsed",
                   "PenstockNoFreeAddress", "PenstockSwitchRepaired")
        for line in self.machine.processes():
            if " ping -q " in f" {line} ":
                self.machine.run("kill", line.split()[0])
        self.machine.output("ip", "-n", "psl-transit", "link", "set", "eth0", "up")
        for name in ("crowd1", "crowd2"):
            self.host("remove", name)
        self.restconf("DELETE", "penstock:network/tenant=crowd")
        self.restconf("DELETE", "penstock:network/pool=crowded")
        self.restconf("DELETE", "penstock:network/tenant=red/quota")
        self.passes("the faults of tenants and functions")

    def pid(self, file):
        path = self.machine.directory / "run" / file
        return path.read_text(encoding="ascii").split()[0]

    def fault_of_the_disk(self):
        free = int(self.machine.output("df", "--output=avail", "-B1", self.state).split()[-1])
        self.machine.output("fallocate", "-l", free - 8_000_000, self.state / "ballast")
        self.fires("PenstockStorageShortage")
        self.machine.output("rm", self.state / "ballast")
        self.passes("the fault of the disk")

    def fault_of_the_way_to_the_node(self):
        self.machine.output("nft", "table inet cut {\nchain input {\ntype filter hook input priority 0\n"
                            "tcp dport { 6640, 6653 } drop\n}\n}")
        self.fires("PenstockNodeDisconnected", "PenstockNodeOutOfSync")
        self.machine.output("nft", "delete", "table", "inet", "cut")
        self.passes("the fault of the way to the node")

    def fault_of_the_controller(self):
        self.machine.output("kill", "-KILL", self.pid(".controller/controller.process"))
        self.fires("PenstockControllerDown", "PenstockNoMaster")
        self.passes("the fault of the controller")


if __name__ == "__main__":
    unittest.main()
