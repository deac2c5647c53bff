# SPDX-License-Identifier: Apache-2.0
"""The launcher's parts that need no controller and no root."""

import contextlib
import io
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest
import unittest.mock

from penstock_base import exclusive, packages, places, restconf
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import say
from penstock_controller import Ports, Settings
from penstock_launcher import cli, control, down, logs, provision, sample, status
from penstock_launcher.progress import StepFailed, Steps
from penstock_node import profile


class Directory(unittest.TestCase):
    """A test with a directory of its own, where all state is."""

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = pathlib.Path(made.name)
        names = ("PENSTOCK_RUN_DIR", "PENSTOCK_STATE_DIR", "PENSTOCK_LOG_DIR", "PENSTOCK_LOCK_DIR")
        patch = unittest.mock.patch.dict(os.environ, {name: made.name + "/" + name[9:12] for name in names})
        patch.start()
        self.addCleanup(patch.stop)


class SampleTest(unittest.TestCase):
    def test_sample_of_the_tree(self):
        loaded = sample.load()
        self.assertEqual(len({tenant.address for tenant in loaded.tenants}), 1)
        self.assertEqual(len({tenant.own_address for tenant in loaded.tenants}), len(loaded.tenants))
        known = {function["name"] for function in loaded.network["penstock:network"]["function"]}
        self.assertEqual(set(loaded.functions), known, "the node starts all of them, and starts them again")
        self.assertTrue(loaded.used_chains)

    def test_profile_has_the_ports_of_the_sample(self):
        loaded, wanted = sample.load(), profile.load(places.PROFILE)
        self.assertEqual(wanted.name, loaded.node)
        self.assertEqual({port.name: (port.role, port.type) for port in wanted.ports},
                         {loaded.access_port: ("access", "system"), loaded.uplink_port: ("uplink", "system")})


class ProvisionTest(unittest.TestCase):
    def test_order_of_keyed_lists_and_additions_do_not_matter(self):
        wanted = {"penstock:tenant": [{"name": "a", "vlan": 1}, {"name": "b"}]}
        stored = {"tenant": [{"name": "c"}, {"name": "b", "chain": "x"}, {"name": "a", "vlan": "1"}], "pool": []}
        self.assertEqual(provision.differences(wanted, stored), [])

    def test_differences_are_named(self):
        wanted = {"tenant": [{"name": "a", "vlan": 1}], "chain": [{"name": "c", "function": ["x", "y"]}],
                  "route": [{"prefix": "0.0.0.0/0", "next-hop": "192.0.2.1"}]}
        stored = {"tenant": [{"name": "a", "vlan": 2}], "chain": [{"name": "c", "function": ["y", "x"]}]}
        self.assertEqual(provision.differences(wanted, stored), [
            "/tenant=a/vlan", "/chain=c/function", "/route=0.0.0.0/0,192.0.2.1"])

    def test_identities_with_and_without_module(self):
        self.assertEqual(provision.differences({"forwarding": "ietf-access-control-list:drop"},
                                               {"forwarding": "drop"}), [])

    def test_second_time_sends_nothing(self):
        store = Store()
        loaded = sample.load()
        self.assertEqual(len(provision.provision(store, loaded)), len(store.sent))
        self.assertTrue(store.sent)
        store.sent.clear()
        self.assertEqual(provision.provision(store, loaded), [])
        self.assertEqual(store.sent, [])

    def test_a_node_is_bound_to_its_address_once(self):
        stored = {}
        sent = []
        store = unittest.mock.Mock(
            read=stored.get, merge=lambda path, body: sent.append(("merge", path, body)),
            replace=lambda path, body: sent.append(("replace", path, body)))
        entry = {"name": "edge1", "address": "169.254.77.10"}
        self.assertTrue(provision.bind_node(store, "edge1", "169.254.77.10"))
        stored["penstock:network/node=edge1"] = {"penstock:node": [{"name": "edge1", "port": []}]}
        self.assertTrue(provision.bind_node(store, "edge1", "169.254.77.10"))
        stored["penstock:network/node=edge1"] = {"penstock:node": [entry]}
        self.assertFalse(provision.bind_node(store, "edge1", "169.254.77.10"))
        self.assertEqual(sent, [("replace", "penstock:network/node=edge1", {"penstock:node": [entry]}),
                                ("merge", "penstock:network", {"penstock:network": {"node": [entry]}})])

    def test_registration_needs_the_ports(self):
        node = {"penstock:node": [{"name": "edge1", "port": [{"name": "acc0"}]}]}
        store = unittest.mock.Mock(read=lambda path: node if path.endswith("node=edge1") else None)
        self.assertTrue(provision.node_is_registered(store, "edge1", ["acc0"]))
        self.assertFalse(provision.node_is_registered(store, "edge1", ["acc0", "up0"]))
        self.assertFalse(provision.node_is_registered(store, "edge2", []))


class Store:
    """A datastore that keeps what it is sent."""

    def __init__(self):
        self.sent = []
        self._data = {}

    def read(self, path):
        return self._data.get(path)

    def merge(self, path, document):
        self.sent.append(path)
        self._data[path] = document

    def replace(self, path, document):
        self.sent.append(path)
        top = path.partition("/")[0]
        acls = self._data.setdefault(top, {top: {"acl": []}})[top]["acl"]
        acls += document["ietf-access-control-list:acl"]


class RestconfTest(unittest.TestCase):
    def test_reasons_of_an_error(self):
        body = json.dumps({"errors": {"error": [
            {"error-tag": "invalid-value", "error-message": "tenant red: vlan 5000 is out of range"}]}})
        self.assertEqual(restconf.reasons(body), "tenant red: vlan 5000 is out of range [invalid-value]")
        self.assertEqual(restconf.reasons("<html>no</html>"), "<html>no</html>")

    def test_no_answer_is_an_error_for_people(self):
        client = restconf.Restconf("http://127.0.0.1:1/rests", "admin", "secret")
        with self.assertRaisesRegex(PenstockError, "no answer from http://127.0.0.1:1/rests") as caught:
            client.read("penstock:network")
        self.assertNotIn("secret", str(caught.exception))


RPC = {"node": [{"name": "edge1", "connected": True, "datapath": "netdev", "open-vswitch": "4.0.0",
                 "dpdk": "DPDK 25.11.4",
                 "flows": {"planned": 3, "installed": 3, "missing": 0, "excess": 0, "wrong": 0}}],
       "tenant": [{"name": name, "vrf": 1, "attachment": ["edge1/acc0/100"], "public": "", "state": "active"}
                  for name in ("red", "blue", "green")],
       "chain": [{"name": "protected", "function": ["fw1", "fwd1"], "packets": "12"}],
       "function": [{"name": "fw1", "state": "up"}, {"name": "fwd1", "state": "up"}],
       "controller": {"url": "http://127.0.0.1:8181/rests", "version": "0.1", "uptime-seconds": 3700}}


class StatusTest(unittest.TestCase):
    def test_object_has_the_promised_fields(self):
        found = status.from_rpc(RPC)
        self.assertEqual(set(found), set(status.NOT_RUNNING))
        self.assertEqual(found["tenants"][0], {"name": "red", "vrf": 1, "attachments": ["edge1/acc0/100"],
                                               "public": None, "chain": None, "state": "active"})
        self.assertEqual(found["nodes"][0], {
            "name": "edge1", "connected": True, "warning": None, "datapath": "netdev", "open-vswitch": "4.0.0",
            "dpdk": "DPDK 25.11.4",
            "flows": {"planned": 3, "installed": 3, "missing": 0, "excess": 0, "wrong": 0}})
        self.assertEqual(found["chains"][0]["packets"], 12)
        self.assertEqual(status.from_rpc({})["nodes"], [])

    def test_ready_and_not(self):
        loaded = sample.load()
        self.assertEqual(status.not_ready(status.from_rpc(RPC), loaded), [])
        bad = json.loads(json.dumps(RPC))
        bad["node"][0]["flows"]["missing"] = 2
        bad["function"].pop()
        bad["tenant"][1]["state"] = "being installed"
        self.assertEqual(status.not_ready(status.from_rpc(bad), loaded), [
            "node edge1 has 2 missing flows", "function fwd1 is not known", "tenant blue is being installed"])

    def test_a_node_of_another_release_is_shown(self):
        self.assertNotIn("warning", status.render(status.from_rpc(RPC)))
        told = status.from_rpc(RPC | {"node": [RPC["node"][0] | {"warning": "upgrade the node"}]})
        self.assertIn("\n\nwarning: node edge1: upgrade the node\n\n", status.render(told))
        self.assertEqual(status.not_ready(told, sample.load()), [])

    def test_members_of_a_cluster_are_shown_with_their_roles(self):
        members = [{"member": "member-1", "role": "away", "url": "http://127.0.0.1:8181/rests"},
                   {"member": "member-2", "role": "master", "url": "http://127.0.0.2:8181/rests"}]
        text = status.render(status.from_rpc(RPC) | {"members": members})
        self.assertIn("member-1  away    http://127.0.0.1:8181/rests\nmember-2  master  ", text)
        self.assertNotIn("RESTCONF", status.render(status.from_rpc(RPC)))

    def test_tables_are_aligned(self):
        text = status.render(status.from_rpc(RPC))
        lines = text.splitlines()
        self.assertEqual(lines[0].index("datapath"), lines[1].index("netdev"))
        self.assertIn("fw1 > fwd1", text)
        self.assertIn("up for 1 h 1 min", text)
        self.assertEqual(status.render(status.NOT_RUNNING).splitlines()[0], "no nodes")

    def test_durations(self):
        self.assertEqual([status.duration(seconds) for seconds in (0, 59, 60, 3725, 90000)],
                         ["0 s", "59 s", "1 min 0 s", "1 h 2 min", "1 d 1 h"])


class StepsTest(unittest.TestCase):
    def test_lines_of_a_step(self):
        out = io.StringIO()
        steps = Steps(2, out)
        with steps.step("quiet", "x") as note:
            note.text = "all there"
        with steps.step("chatty", "x"):
            say("one\ntwo")
        self.assertRegex(out.getvalue(), r"^\[1/2\] quiet \.\.\. done in \d+\.\d s \(all there\)\n"
                         r"\[2/2\] chatty \.\.\. \n    one\n    two\n\[2/2\] chatty: done in \d+\.\d s\n$")

    def test_failure_says_which_why_and_what_to_do(self):
        out = io.StringIO()
        with self.assertRaises(StepFailed) as caught, Steps(1, out).step("node", "free memory"):
            raise PenstockError("no huge pages")
        self.assertEqual(str(caught.exception),
                         "step 'node' failed\n  why: no huge pages\n  what to do: free memory")
        self.assertRegex(out.getvalue(), r"failed after")


class ExclusiveTest(Directory):
    def test_second_is_refused_and_told_who_is_first(self):
        with exclusive.alone("x", "./penstock up"), \
                self.assertRaisesRegex(PenstockError, rf"./penstock up \(process {os.getpid()}\) is running"), \
                exclusive.alone("x", "./penstock down"):
            self.fail("both run")
        with exclusive.alone("x", "./penstock down"):
            pass


class PackagesTest(unittest.TestCase):
    def test_missing(self):
        self.assertEqual(packages.missing(["dpkg", "no-such-package-of-ours"]), ["no-such-package-of-ours"])

    def test_what_another_package_provides_is_not_missing(self):
        self.assertEqual(packages.missing(["awk"]), [])

    def test_no_services_are_started(self):
        with tempfile.TemporaryDirectory() as directory:
            policy = pathlib.Path(directory, "policy-rc.d")
            with unittest.mock.patch.object(packages, "_POLICY", policy):
                with packages._no_services():
                    self.assertEqual(subprocess.run([policy], check=False).returncode, 101)
                self.assertFalse(policy.exists())
                policy.write_text("of the user", encoding="ascii")
                with packages._no_services():
                    pass
                self.assertEqual(policy.read_text(encoding="ascii"), "of the user")


class FirstCommandTest(unittest.TestCase):
    """The launcher on a machine that has no more than what the script ./penstock installs: `up` installs the rest."""

    ALLOWED = ("yaml", "jsonschema", "attr", "attrs", "pyrsistent", "_pyrsistent_version", "pvectorc")

    def test_no_module_of_other_packages_is_needed(self):
        program = f"""
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if not (top in sys.stdlib_module_names or top in {self.ALLOWED} or top.startswith(("_yaml", "penstock_"))):
            raise ModuleNotFoundError(name + " is refused here", name=name)

sys.meta_path.insert(0, Refused())
import penstock_launcher.cli
sys.exit(penstock_launcher.cli.main(["help"]))
"""
        found = subprocess.run(["/usr/bin/python3", "-c", program], capture_output=True, text=True, check=False,
                               env={"PATH": os.environ["PATH"], "PYTHONPATH": places.python_path()})
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertIn("./penstock up", found.stdout)


class CommandsTest(Directory):
    def run_cli(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = cli.main(list(arguments))
            except SystemExit as left:
                code = left.code
        return code, out.getvalue(), err.getvalue()

    def test_help_of_every_command(self):
        for name in ("up", "down", "status", "console", "logs", "help"):
            with self.subTest(name):
                code, out, _ = self.run_cli(name, "--help")
                self.assertEqual(code, 0)
                self.assertIn(f"penstock {name}", out)

    def test_benchmarks_are_named(self):
        _, out, _ = self.run_cli("help")
        for text in ("bench --quick", "bench nat", "bench services", "bench chain", "bench load", "bench cores",
                     "bench scale", "bench switches"):
            self.assertIn(f"./penstock {text} ", out)

    def test_the_benchmark_and_the_tests_are_programs_of_their_own(self):
        choices = "{edge,nat,services,chain,load,cores,scale,switches}"
        for name, word, code, wanted in (("bench", "--help", 0, choices), ("bench", "x", 2, "invalid choice"),
                                         ("test", "--help", 0, "penstock test"), ("test", "x", 2, "usage")):
            with self.subTest(name, word=word):
                ran = subprocess.run([ROOT / "penstock", name, word], capture_output=True, text=True, check=False)
                self.assertEqual((ran.returncode, wanted in ran.stdout + ran.stderr), (code, True))

    def test_status_without_a_controller(self):
        with unittest.mock.patch("os.geteuid", return_value=0):
            code, out, err = self.run_cli("status", "--json")
        self.assertEqual((code, json.loads(out)), (3, status.NOT_RUNNING))
        self.assertIn("does not run", err)

    def test_root_is_needed(self):
        with unittest.mock.patch("os.geteuid", return_value=1000):
            code, _, err = self.run_cli("up")
        self.assertEqual(code, 1)
        self.assertIn("needs root", err)

    def test_keep_and_purge_exclude_each_other(self):
        self.assertEqual(self.run_cli("down", "--keep", "--purge")[0], 2)

    def test_logs(self):
        self.assertEqual(logs.files(), [])
        path = places.run_directory() / "edge1" / "ovs-vswitchd.log"
        path.parent.mkdir(parents=True)
        path.write_text("x", encoding="ascii")
        self.assertEqual(logs.files("node"), [path])
        self.assertEqual(logs.files("controller"), [])

    def test_a_taken_port_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            free = list(range(port + 1, port + 5))
            settings = Settings(ports=Ports(port, *free))
            with self.assertRaisesRegex(PenstockError, rf"port {port} \(openflow\) on 127.0.0.1 is not free"):
                control._check_ports(settings)

    def test_purge_removes_targets_beside_a_pom_only(self):
        for name in ("a/pom.xml", "a/target/x/pom.xml", "b/target/x"):
            (self.directory / name).parent.mkdir(parents=True, exist_ok=True)
            (self.directory / name).write_text("x", encoding="ascii")
        self.assertEqual(down._targets(self.directory), [self.directory / "a" / "target"])


if __name__ == "__main__":
    unittest.main()
