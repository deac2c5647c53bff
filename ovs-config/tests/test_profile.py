# SPDX-License-Identifier: Apache-2.0
"""Every wrong profile gets an error that names the field and says what to do."""

import json
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import yaml

from penstock_base.errors import ProfileError
from penstock_node import numa, profile

HERE = pathlib.Path(__file__).resolve().parent
GOOD = {"name": "edge1", "pmd-cores": [0], "hugepage-memory-mb": 832}


class ProfileTest(unittest.TestCase):

    def assert_refused(self, changes, *expected):
        content = {key: value for key, value in (GOOD | changes).items() if value is not ...}
        with self.assertRaises(ProfileError) as caught:
            profile.parse(content)
        for text in expected:
            self.assertTrue(any(text in problem for problem in caught.exception.problems),
                            f"{text!r} not in {caught.exception.problems}")
        return caught.exception.problems

    def test_defaults_are_filled_in(self):
        parsed = profile.parse(GOOD)
        self.assertEqual(parsed.namespace, "ps-edge1")
        self.assertEqual(parsed.pmd_maxsleep_us, 500)
        self.assertFalse(parsed.exact_match_cache)
        self.assertEqual((parsed.controller_addresses, parsed.ovsdb_port), (("169.254.77.1",), 6640))
        self.assertEqual(parsed.vhost_user_directory, parsed.run_directory / "edge1" / "vhost")
        self.assertIsNone(parsed.management_node_address)

    def test_run_directory_comes_from_the_environment(self):
        with unittest.mock.patch.dict("os.environ", PENSTOCK_RUN_DIR="/tmp/elsewhere"):
            self.assertEqual(str(profile.parse(GOOD).directory), "/tmp/elsewhere/edge1")

    def test_sample_has_every_field_and_is_right(self):
        path = HERE.parent / "profiles" / "sample.yaml"
        profile.load(path)
        content = profile.documents.read_yaml(path)
        schema = profile.documents.json.loads(profile.SCHEMA.read_text(encoding="utf-8"))
        # A device that leads to resolvers is what the sample network does not have: it is there as a comment.
        comment = re.search(r"^# dns:\n(#   .*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
        dns = yaml.safe_load(comment[0].replace("# ", "", 1).replace("\n# ", "\n"))
        self.assertEqual(set(dns["dns"]), set(schema["properties"]["dns"]["properties"]))
        # Neither is another Open vSwitch.
        root = yaml.safe_load("\n".join(re.findall(r"^# ((?:switch-root|accepted-switch-faults): .*)$",
                                                   path.read_text(encoding="utf-8"), re.MULTILINE)))
        comment = re.search(r"^# connection-records:\n(#   .*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
        records = yaml.safe_load(comment[0].replace("# ", "", 1).replace("\n# ", "\n"))
        self.assertEqual(set(records["connection-records"]),
                         set(schema["properties"]["connection-records"]["properties"]))
        everything = content | dns | root | records
        profile.parse(everything)
        self.assertEqual(set(everything), set(schema["properties"]))

    def test_resolvers(self):
        self.assertIsNone(profile.parse(GOOD).dns)
        self.assertEqual(profile.parse(GOOD).announced_ports(), [])
        self.assertEqual(profile.parse(GOOD | {"dns": {}}).announced_ports(),
                         [{"name": "svc0", "role": "service", "type": "system"}])
        good = {"device": "up1", "upstream-address": "192.0.2.10/24", "upstream-gateway": "192.0.2.1"}
        profile.parse(GOOD | {"dns": good})
        self.assert_refused({"dns": {"device": "up1"}}, "dns: device and upstream-address belong together")
        self.assert_refused({"dns": {"upstream-gateway": "192.0.2.1"}}, "dns.upstream-gateway: needs a device")
        self.assert_refused({"dns": good | {"upstream-address": "192.0.2.10/33"}}, "dns.upstream-address: ")
        self.assert_refused({"dns": good | {"upstream-gateway": "192.0.3.1"}}, "is not in 192.0.2.0/24")
        self.assert_refused({"dns": good, "uplink-ports": [{"name": "up1"}]}, "up1 is also uplink-ports[0]")
        self.assert_refused({"access-ports": [{"name": "svc0"}]}, "svc0 is the port of the resolvers")

    def test_records_of_connections(self):
        self.assertIsNone(profile.parse(GOOD).records)
        good = {"collector": "192.0.2.20:4739"}
        self.assertEqual(profile.parse(GOOD | {"connection-records": good}).records,
                         profile.Records("192.0.2.20:4739", 20, 100_000))
        profile.parse(GOOD | {"connection-records": {"collector": "tcp:255.0.2.1:65535", "interval-seconds": 30}})
        for wrong in ("192.0.2.256:1", "192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536", "sctp:192.0.2.1:1", "host:1",
                      "192.0.2.1:1\n", "192.0.2.1:1 -c", "127.1:1"):
            with self.subTest(wrong):
                self.assert_refused({"connection-records": {"collector": wrong}}, "connection-records.collector: ")
        self.assert_refused({"connection-records": good | {"interval-seconds": 31}}, "interval-seconds: 31 is not")
        self.assert_refused({"connection-records": {}}, "connection-records.collector: is missing")

    def test_missing_fields(self):
        for field in GOOD:
            with self.subTest(field):
                self.assert_refused({field: ...}, f"{field}: is missing; give the ")

    def test_all_missing_fields_are_named_once(self):
        with self.assertRaises(ProfileError) as caught:
            profile.parse({})
        self.assertEqual(sorted(problem.split(":")[0] for problem in caught.exception.problems), sorted(GOOD))

    def test_unknown_field(self):
        self.assert_refused({"pmd-core": [1]}, "pmd-core: unknown field; did you mean pmd-cores?")
        self.assert_refused({"controller": {"port": 1}}, "controller.port: unknown field")
        self.assert_refused({"access-ports": [{"name": "a", "speed": 1}]}, "access-ports[0].speed: unknown field")

    def test_values_out_of_range(self):
        for field, value, start in (
                ("name", "Edge_1", "name: "), ("name", "a-much-too-long-name", "name: "), ("name", 5, "name: "),
                ("pmd-cores", [], "pmd-cores: "), ("pmd-cores", [1, 1], "pmd-cores: "),
                ("pmd-cores", [-1], "pmd-cores[0]: "), ("pmd-cores", ["1"], "pmd-cores[0]: "),
                ("hugepage-memory-mb", 831, "hugepage-memory-mb: "),
                ("hugepage-memory-mb", "1G", "hugepage-memory-mb: "),
                ("hugepage-memory-mb", [832, 831], "hugepage-memory-mb: "),
                ("hugepage-memory-mb", [0], "hugepage-memory-mb: "), ("hugepage-memory-mb", [], "hugepage-memory-mb: "),
                ("balance-queues", "yes", "balance-queues: "),
                ("uplink-ports", [{"name": "u", "receive-queues": 0}], "uplink-ports[0].receive-queues: "),
                ("uplink-ports", [{"name": "u", "receive-queues": 65}], "uplink-ports[0].receive-queues: "),
                ("uplink-ports", [{"name": "u", "queue-cores": [-1]}], "uplink-ports[0].queue-cores[0]: "),
                ("pmd-maxsleep-us", 10001, "pmd-maxsleep-us: "), ("exact-match-cache", 0, "exact-match-cache: "),
                ("namespace", "a/b", "namespace: "),
                ("switch-root", "srv", "switch-root: "), ("switch-root", "/srv/a b", "switch-root: "),
                ("run-directory", "relative", "run-directory: "),
                ("vhost-user-directory", "x", "vhost-user-directory: "),
                ("controller", {"address": "nowhere"}, "controller.address: "),
                ("controller", {"ovsdb-port": 0}, "controller.ovsdb-port: "),
                ("controller", {"openflow-port": 65536}, "controller.openflow-port: "),
                ("management", {"controller-address": "1.2.3"}, "management.controller-address: "),
                ("management", {"node-address": "::1"}, "management.node-address: "),
                ("access-ports", [{"name": "sixteen-letters!"}], "access-ports[0].name: "),
                ("uplink-ports", [{"name": "up0", "type": "tap"}], "uplink-ports[0].type: ")):
            with self.subTest(field=field, value=value):
                problems = self.assert_refused({field: value}, start)
                self.assertIn("wanted: ", problems[0])

    def test_ports_contradict(self):
        self.assert_refused({"access-ports": [{"name": "p"}], "uplink-ports": [{"name": "p"}]},
                            "uplink-ports[0].name: p is also access-ports[0]")
        self.assert_refused({"access-ports": [{"name": "p", "type": "dpdk"}]}, "access-ports[0].devargs: is missing")
        self.assert_refused({"access-ports": [{"name": "p", "devargs": "x"}]},
                            "access-ports[0].devargs: a system port has none")
        self.assert_refused({"access-ports": [{"name": "mgmt0"}]}, "access-ports[0].name: mgmt0 is the management")

    def test_queues(self):
        port = {"name": "p", "type": "dpdk", "devargs": "net_null0"}
        parsed = profile.parse(GOOD | {"pmd-cores": [0, 3], "access-ports": [
            port | {"receive-queues": 3, "queue-cores": [3, 3]}, port | {"name": "q", "receive-queues": 1}]})
        self.assertEqual([{key: value for key, value in entry.items() if "queue" in key}
                          for entry in parsed.announced_ports()],
                         [{"receive-queues": 3, "queue-cores": [3, 3]}, {}])
        self.assert_refused({"access-ports": [{"name": "p", "receive-queues": 2}]},
                            "access-ports[0].receive-queues: a system port has one queue")
        self.assert_refused({"access-ports": [{"name": "p", "queue-cores": [0]}]},
                            "access-ports[0].queue-cores: a system port has one queue")
        self.assert_refused({"access-ports": [port | {"queue-cores": [0, 0]}]},
                            "access-ports[0].queue-cores: names 2 cores, but receive-queues is 1")
        self.assert_refused({"access-ports": [port | {"receive-queues": 2, "queue-cores": [0, 1]}]},
                            "access-ports[0].queue-cores[1]: core 1 is not in pmd-cores")

    def test_memory_by_numa_node(self):
        self.assertEqual(profile.parse(GOOD | {"hugepage-memory-mb": [0, 900]}).hugepage_memory_mb, (0, 900))

    def test_certificates(self):
        self.assertIsNone(profile.parse(GOOD).tls)
        files = {"certificate": "/etc/c.pem", "key": "/etc/k.pem", "ca": "/etc/a.pem"}
        self.assertEqual(profile.parse(GOOD | {"controller": {"tls": files}}).tls, profile.Tls(**files))
        for wrong, field in (({"ca": "a.pem"}, "controller.tls.ca: "), ({"key": "/k\nx"}, "controller.tls.key: "),
                             ({"crl": "/r.pem"}, "controller.tls"), ({"key": "/a b"}, "controller.tls.key: ")):
            with self.subTest(wrong):
                self.assert_refused({"controller": {"tls": files | wrong}}, field)
        self.assert_refused({"controller": {"tls": {"key": "/k"}}}, "controller.tls")

    def test_addresses_contradict(self):
        self.assert_refused({"management": {"node-address": "169.254.77.1"}}, "management.node-address: ")

    def test_directory_too_long_for_sockets(self):
        self.assert_refused({"run-directory": "/" + "x" * 80}, "run-directory: ")
        self.assert_refused({"vhost-user-directory": "/" + "x" * 80}, "vhost-user-directory: ")

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "p.yaml")
            for text, expected in (("name: a\nname: b\n", "name occurs twice"), ("- 1\n", "mapping"),
                                   ("{", "not YAML"), ("", "mapping"), ("name: a\n", "pmd-cores: is missing")):
                path.write_text(text, encoding="utf-8")
                with self.subTest(text), self.assertRaisesRegex(ProfileError, f"(?s)^{path}: .*{expected}"):
                    profile.load(path)
            with self.assertRaisesRegex(ProfileError, "cannot be read: No such file"):
                profile.load(path.with_name("missing.yaml"))


class MachineTest(unittest.TestCase):
    """The same for what the machine does not have."""

    def problems(self, **changes):
        changes = {key.replace("_", "-"): value for key, value in changes.items()}
        return profile.machine_problems(profile.parse(GOOD | changes))

    def test_nothing_wrong(self):
        self.assertEqual(self.problems(), [])

    def test_certificates_are_there(self):
        files = dict.fromkeys(("certificate", "key", "ca"), "/nowhere/x.pem")
        self.assertEqual([problem.partition(":")[0] for problem in self.problems(controller={"tls": files})],
                         ["controller.tls.certificate", "controller.tls.key", "controller.tls.ca"])

    def test_core(self):
        self.assertRegex(self.problems(pmd_cores=[0, 4000])[0],
                         r"^pmd-cores\[1\]: this machine has no core 4000; it has ")

    def test_memory(self):
        self.assertRegex(self.problems(hugepage_memory_mb=1048576)[0],
                         "^hugepage-memory-mb: 1048576 MB .* request less")
        self.assertRegex(self.problems(hugepage_memory_mb=[0] * 7 + [832])[0],
                         "^hugepage-memory-mb: this machine has no NUMA node 7")

    def test_ports(self):
        found = self.problems(access_ports=[{"name": "lo"}, {"name": "nosuchdevice"}],
                              uplink_ports=[{"name": "up", "type": "dpdk", "devargs": "0000:ff:1f.7"}])
        self.assertRegex(found[0], r"^access-ports\[1\].name: there is no network device nosuchdevice")
        self.assertRegex(found[1], r"^uplink-ports\[0\].devargs: there is no PCI device 0000:ff:1f.7")
        self.assertEqual(len(found), 2)

    def test_numa_nodes(self):
        with tempfile.TemporaryDirectory() as directory:
            system = pathlib.Path(directory)
            for path, text in (("devices/system/node/online", "0-1"), ("devices/system/node/node0/cpulist", "0,2"),
                               ("devices/system/node/node1/cpulist", "1,3"),
                               ("bus/pci/devices/0000:03:00.0/numa_node", "1"),
                               ("bus/pci/devices/0000:04:00.0/numa_node", "-1")):
                (system / path).parent.mkdir(parents=True, exist_ok=True)
                (system / path).write_text(text + "\n", encoding="ascii")

            def problems(memory, cores, address):
                return numa.Numa(system).problems(profile.parse(GOOD | {
                    "hugepage-memory-mb": memory, "pmd-cores": cores,
                    "uplink-ports": [{"name": "up", "type": "dpdk", "devargs": address}]}))
            self.assertEqual(problems([832, 832], [0, 1, 2], "03:00.0"), [])
            self.assertEqual(problems([832], [0, 2], "0000:04:00.0"), [])
            self.assertEqual(problems([832], [0, 3], "03:00.0,x=1"), [
                f"{what} is on NUMA node 1, which has no memory in hugepage-memory-mb; give it 832 or more"
                for what in ("pmd-cores[1]: core 3", "uplink-ports[0].devargs: 03:00.0")])
            self.assertRegex(problems([0, 832], [0], "net_null0")[0], r"^pmd-cores\[0\]: core 0 is on NUMA node 0")
            self.assertRegex(problems(832, [0], "net_null0")[0], "^hugepage-memory-mb: this machine has 2 NUMA nodes; ")

    def test_the_schema_lists_as_many_numa_nodes_as_the_switch_is_told_about(self):
        schema = json.loads(profile.SCHEMA.read_text(encoding="utf-8"))
        self.assertEqual(schema["properties"]["hugepage-memory-mb"]["anyOf"][1]["maxItems"], numa.MOST_NODES)


if __name__ == "__main__":
    unittest.main()
