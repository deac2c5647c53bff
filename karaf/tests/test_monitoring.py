# SPDX-License-Identifier: Apache-2.0
"""Alerts, dashboards, and the Prometheus beside the edge, without an edge. test_alerts.py has one."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import yaml

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_monitoring import dashboards
from penstock_monitoring.prometheus import ALERTS, DASHBOARDS, USER, Prometheus

_CASES = ROOT / "karaf" / "tests" / "alerts.yaml"
_METRIC = re.compile(r"\bpenstock_[a-z_]+")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def metrics(expression):
    """Names of ours in an expression; those of the series of a histogram without their suffix."""
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in _METRIC.findall(expression)}


def documented():
    network, nodes = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("metrics.md", "operations.md"))
    nodes = nodes.partition("\n## Metrics of a node\n")[2].partition("\n## ")[0]
    return {name for text in (network, nodes) for row in re.findall(r"(?m)^\|[^|]*", text)
            for name in re.findall(r"`(penstock_[a-z_]+)`", row)}


class AlertsTest(unittest.TestCase):
    def setUp(self):
        self.alerts = [rule for group in yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
                       for rule in group["rules"]]

    def promtool(self, *arguments):
        done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_each_alert_fires_and_none_does_without_cause(self):
        text = _CASES.read_text(encoding="utf-8")
        names = {alert["alert"] for alert in self.alerts}
        cases = yaml.safe_load(text)["tests"]
        self.assertEqual(names, {case["alertname"] for case in cases[0]["alert_rule_test"]})
        self.assertEqual(names, {case["alertname"] for group in cases[1:] for case in group["alert_rule_test"]})
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "cases.yaml"
            path.write_text(text.replace("RULES", str(ALERTS)), encoding="utf-8")
            self.promtool("test", "rules", path)

    def test_each_alert_has_a_paragraph_of_the_runbook(self):
        for alert in self.alerts:
            document, _, anchor = alert["annotations"]["runbook_url"].partition("#")
            headings = re.findall(r"(?m)^#### (\w+)$", (ROOT / document).read_text(encoding="utf-8"))
            self.assertIn(anchor, [heading.lower() for heading in headings], alert["alert"])

    def test_severities(self):
        self.assertLessEqual({alert["labels"]["severity"] for alert in self.alerts}, {"critical", "warning", "info"})

    def test_metrics_are_documented(self):
        self.assertGreater(len(documented()), 30)
        for alert in self.alerts:
            self.assertLessEqual(metrics(alert["expr"]), documented(), alert["alert"])


class DashboardsTest(unittest.TestCase):
    def test_files_are_those_of_the_program(self):
        self.assertEqual({f"{dashboard.name}.json": dashboards.render(dashboard) for dashboard in dashboards.ALL},
                         {path.name: path.read_text(encoding="utf-8") for path in DASHBOARDS.iterdir()},
                         "run: PYTHONPATH=karaf:ovs-config python3 -m penstock_monitoring.dashboards")

    def test_metrics_are_documented(self):
        for dashboard in dashboards.ALL:
            for query in dashboards.queries(dashboard):
                self.assertLessEqual(metrics(query), documented(), query)

    def test_panels_are_beside_each_other(self):
        for dashboard in dashboards.ALL:
            taken = set()
            for panel in json.loads(dashboards.render(dashboard))["panels"]:
                place = panel["gridPos"]
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(taken & cells, panel["title"])
                self.assertLessEqual(place["x"] + place["w"], 24)
                taken |= cells


class PrometheusTest(unittest.TestCase):
    def setUp(self):
        # Not below a directory of root alone: it runs as another user.
        directory = pathlib.Path(tempfile.mkdtemp(prefix="psm-", dir="/var/tmp"))
        directory.chmod(0o755)
        self.addCleanup(shutil.rmtree, directory)
        self.server = Prometheus(directory / "metrics", directory / "prometheus.process", free_port())
        self.addCleanup(self.server.stop)

    def get(self, path):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)) as connection:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())

    def targets(self):
        return [target["scrapeUrl"] for target in self.get("/api/v1/targets")["data"]["activeTargets"]]

    def test_it_scrapes_with_its_password_and_little_rights(self):
        text = self.server.configuration(["127.0.0.1:1"])
        self.assertTrue(self.server.start(text, "a password of its own"))
        pid = processes.pid_of(self.server.process)
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        self.assertNotIn("Uid:\t0", status)
        self.assertIn("CapBnd:\t0000000000000000", status)
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertEqual(0o640, self.server.password_file.stat().st_mode & 0o777)
        self.assertFalse(self.server.start(text, "a password of its own"), "it runs with the same")
        self.assertEqual(pid, processes.pid_of(self.server.process))
        processes.wait_until(lambda: self.targets() == ["http://127.0.0.1:1/penstock/metrics"], "its target", 300)
        rules = self.get("/api/v1/rules")["data"]["groups"]
        self.assertEqual(len(yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]), len(rules))
        self.assertTrue(self.server.start(self.server.configuration(["127.0.0.1:2"]), "a password of its own"))
        self.assertNotEqual(pid, processes.pid_of(self.server.process), "other targets")

    def test_one_that_was_killed_starts_again_with_its_series(self):
        text = self.server.configuration(["127.0.0.1:1"])
        self.server.start(text, "a password of its own")
        os.kill(processes.pid_of(self.server.process), 9)
        processes.wait_until(lambda: not processes.is_running(self.server.process), "its end", 300)
        self.assertTrue(self.server.start(text, "a password of its own"))

    def test_a_taken_port_is_named(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", self.server.port))
            other.listen()
            with self.assertRaisesRegex(PenstockError, "address already in use"):
                self.server.start(self.server.configuration(["127.0.0.1:1"]), "a password of its own")

    def test_settings_are_right_for_promtool(self):
        text = self.server.configuration(["127.0.0.1:1"], ["127.0.0.1:3"], alertmanagers=["127.0.0.1:2"])
        self.server.start(self.server.configuration(["127.0.0.1:1"]), "a password of its own")
        path = self.server.directory / "with-alertmanager.yaml"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(["promtool", "check", "config", path], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(USER, yaml.safe_load(text)["scrape_configs"][0]["basic_auth"]["username"])


if __name__ == "__main__":
    unittest.main()
