# SPDX-License-Identifier: Apache-2.0
"""The settings file of a controller: what is in it, and what is said of a wrong one."""

import contextlib
import io
import json
import pathlib
import re
import tempfile
import unittest

import yaml

from penstock_base.errors import ProfileError
from penstock_controller import Settings, settings_file
from penstock_controller.__main__ import main
from penstock_controller.settings import Member, Ports, Tls

_SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "controller.yaml"


class SettingsFileTest(unittest.TestCase):
    def test_the_sample_is_the_default(self):
        self.assertEqual(settings_file.load(_SAMPLE), Settings())

    def test_an_empty_mapping_is_the_default(self):
        self.assertEqual(settings_file.parse({}), Settings())

    def test_the_sample_has_every_field(self):
        text = _SAMPLE.read_text(encoding="utf-8")
        # A field of a comment, and what is below it, as an operator would make it one.
        shown = yaml.safe_load(re.sub(r"(?m)^# ((?:members|tls|exporters):\n)((?:#   .*\n)+)",
                                      lambda found: found[1] + found[2].replace("# ", ""), text))
        fields = {field for field, _ in settings_file._fields(shown)}
        self.assertEqual(fields, {*settings_file._SETTINGS, *settings_file._PORTS, *settings_file._TLS})
        schema = json.loads(settings_file.SCHEMA.read_text(encoding="utf-8"))["properties"]
        self.assertEqual(fields, {f"{name}.{below}" if below else name for name, value in schema.items()
                                  for below in value.get("properties", [""])})
        settings_file.parse(shown)

    def test_every_field(self):
        self.assertEqual(
            settings_file.parse({
                "southbound": {"address": "192.0.2.1", "openflow-port": 1, "ovsdb-port": 2},
                "northbound": {"address": "192.0.2.7", "restconf-port": 3, "console-port": 4}, "cluster-port": 5,
                "member": "member-2", "members": [{"name": f"member-{each}", "address": f"192.0.2.{each}"}
                                                  for each in (1, 2, 3)], "nodes": "any",
                "heap": "512m", "flow-check-seconds": 0, "metrics-tenants": 7,
                "tls": {name: f"/tls/{name}.pem" for name in ("certificate", "key", "ca", "crl")},
                "exporters": {"nat-syslog": "192.0.2.2:514", "nat-ipfix": ["192.0.2.3:4739", "tcp:192.0.2.5:4739"],
                              "event-syslog": "192.0.2.4:514"}}),
            Settings(listen_address="192.0.2.1", northbound_address="192.0.2.7", member="member-2",
                     members=tuple(Member(f"member-{each}", f"192.0.2.{each}") for each in (1, 2, 3)),
                     tls=Tls(*(f"/tls/{name}.pem" for name in ("certificate", "key", "ca", "crl"))),
                     ports=Ports(1, 2, 3, 4, 5), heap="512m", nodes="any", flow_check_seconds=0, metrics_tenants=7,
                     nat_syslog="192.0.2.2:514", nat_ipfix="192.0.2.3:4739,tcp:192.0.2.5:4739",
                     event_syslog="192.0.2.4:514"))

    def test_what_is_wrong_is_named(self):
        for content, said in (
                ({"southbound": {"adress": "192.0.2.1"}}, "southbound.adress: unknown field; did you mean address?"),
                ({"southbound": {"address": "192.0.2.256"}}, 'southbound.address: "192.0.2.256" is not'),
                ({"southbound": {"ovsdb-port": 0}}, "southbound.ovsdb-port: 0 is not valid; wanted: "),
                ({"southbound": {"ovsdb-port": True}}, "southbound.ovsdb-port: true is not valid; wanted: "),
                ({"southbound": None}, "southbound: null is not valid; wanted: "),
                ({"nodes": "all"}, "nodes: \"all\" is not valid; wanted: "),
                ({"metrics-tenants": 100_001}, "metrics-tenants: 100001 is not valid; wanted: "),
                ({"heap": "2g -XX:OnError=reboot"}, "heap: "),
                ({"heap": "2g\n"}, "heap: "),
                ({"exporters": {"nat-syslog": "192.0.2.1:514\nnodes = any"}}, "exporters.nat-syslog: "),
                ({"exporters": {"nat-syslog": "192.0.2.1:514\n"}}, "exporters.nat-syslog: "),
                ({"exporters": {"event-syslog": "192.0.2.1:70000"}}, "event-syslog: '192.0.2.1:70000' is not"),
                ({"exporters": {"nat-ipfix": ["192.0.2.1:1"] * 3}}, "exporters.nat-ipfix: "),
                ({"exporters": {"nat-ipfix": ["192.0.2.1:1,192.0.2.2:2"]}}, "exporters.nat-ipfix[0]: "),
                ({"exporters": {"nat-ipfix": "192.0.2.1:1\n"}}, "exporters.nat-ipfix: "),
                ({"exporters": {"nat-ipfix": ["192.0.2.1:70000"]}}, "nat-ipfix: '192.0.2.1:70000' is not [tcp:]"),
                ({"exporters": {"nat-syslog": "tcp:192.0.2.1:514"}}, "nat-syslog: 'tcp:192.0.2.1:514' is not ADDRESS"),
                ({"member": "member-0"}, "member: \"member-0\" is not valid; wanted: "),
                ({"members": [{"name": "member-1"}]}, "members[0].address: is missing; give the IPv4 address"),
                ({"members": [{"name": "member-1", "address": "controller1"}]}, "members[0].address: "),
                ({"members": [{"name": "member-2", "address": "192.0.2.2"}]}, "is not among member-2"),
                ({"tls": {"certificate": "/c", "key": "/k", "ca": "/a"}}, "tls.crl: is missing"),
                ({"tls": {"certificate": "c", "key": "/k", "ca": "/a", "crl": "/r"}}, "tls.certificate: "),
                ({"southbound": {"address": "192.0.2.1"}}, "listen: nodes would connect to 192.0.2.1"),
                ({"cluster-port": 6640}, "two ports are the same")):
            with self.subTest(content), self.assertRaises(ProfileError) as caught:
                settings_file.parse(content)
            self.assertIn(said, str(caught.exception))


class CommandTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name, "controller.yaml")

    def command(self, *arguments):
        """The exit code, and all that is printed."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                code = main(list(map(str, arguments)))
            except SystemExit as end:
                code = end.code
        return code, output.getvalue()

    def test_check(self):
        self.file.write_text("heap: 1g\n", encoding="utf-8")
        self.assertEqual(self.command("check", self.file), (0, f"{self.file}: the settings are fine\n"))
        self.file.write_text("heap: 1g\nheap: 2g\nhaep: 1\n", encoding="utf-8")
        code, said = self.command("check", self.file)
        self.assertEqual(code, 2)
        self.assertIn(f"{self.file}: is not YAML", said)
        self.assertIn("the field heap occurs twice", said)
        self.file.unlink()
        self.assertEqual(self.command("check", self.file),
                         (2, f"{self.file}: cannot be read: No such file or directory\n"))

    def test_a_unit_has_the_file(self):
        self.file.write_text("heap: 1g\n", encoding="utf-8")
        code, text = self.command("unit", "--settings", self.file)
        self.assertEqual(code, 0)
        self.assertIn(f" run --settings {self.file}\n", text)

    def test_settings_have_one_place(self):
        self.file.write_text("heap: 1g\n", encoding="utf-8")
        code, said = self.command("unit", "--settings", self.file, "--heap", "3g", "--restconf-port", "1")
        self.assertEqual(code, 1)
        self.assertIn("leave out --heap --restconf-port", said)

    def test_version(self):
        self.assertRegex(self.command("--version")[1], r"^penstock-controller \d+\.\d+")


if __name__ == "__main__":
    unittest.main()
