# SPDX-License-Identifier: Apache-2.0
"""The commands that ask a controller: their output, exit codes and the time until they begin."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

from penstock_base import places
from penstock_launcher import objects, remote_cli, tables
from penstock_launcher.objects import Found

from .restconf_server import refused, served

RED = {"name": "red", "attachment": [{"name": "office", "node": "edge1", "port": "acc0", "vlan": 100}]}
STATE = {"name": "red", "status": "active", "public-address": "203.0.113.1"}


def config(*tenants):
    return 200, {"penstock:network": {"tenant": list(tenants)}}


def states(*tenants):
    return 200, {"penstock-state:state": {"tenant": list(tenants)}}


class CommandsTest(unittest.TestCase):
    def setUp(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.directory = directory
        self.password = directory / "password"
        self.password.write_text("secret", encoding="utf-8")
        self.password.chmod(0o600)

    def run_command(self, server, *words):
        """Exit code, output and errors."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = remote_cli.main([*words, "--controller", getattr(server, "url", server), "--user", "erika",
                                    "--password-file", str(self.password)])
        self.assertNotIn("\x1b", out.getvalue() + errors.getvalue())
        self.assertNotIn("secret", out.getvalue() + errors.getvalue())
        return code, out.getvalue(), errors.getvalue()

    def test_list(self):
        server = served(self, states(STATE), config(RED, {"name": "blue"}))
        code, out, _ = self.run_command(server, "tenant", "list")
        self.assertEqual(0, code)
        self.assertEqual(["name  status  public address  attachments     subnets  reason",
                          "blue  -       -               -               -        -",
                          "red   active  203.0.113.1     edge1/acc0/100  -        -"], out.splitlines())

    def test_conditions(self):
        for where, names in ((["attachment/vlan=100"], ["red"]), (["attachment=office/vlan=100"], ["red"]),
                             (["status=active", "attachment/vlan=200"], []), (["status=active"], ["red"]),
                             (["vlan=100"], [])):
            server = served(self, states(STATE), config(RED, {"name": "blue"}))
            words = [word for each in where for word in ("--where", each)]
            _, out, _ = self.run_command(server, "tenant", "list", "--json", *words)
            with self.subTest(where):
                self.assertEqual(names, [each["config"]["name"] for each in json.loads(out)])

    def test_names(self):
        server = served(self, config({"name": "red"}, {"name": "blue"}))
        self.assertEqual((0, "blue\nred\n", ""), self.run_command(server, "tenant", "list", "--names"))
        self.assertEqual(1, len(server.requests))

    def test_names_are_completed(self):
        program = self.directory / "penstock"
        program.write_text(f'#!/bin/sh\nexec {places.ROOT}/penstock "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        evil = [{"name": text.format(self.directory)} for text in (
            "r$(touch${{IFS}}{}/x)", "r`touch {}/x`", "r;a", "r*")]
        server = served(self, config({"name": "red"}, {"name": "rose"}, {"name": "blue"}, *evil))
        environment = {"HOME": "/nonexistent", "PENSTOCK_CONTROLLER": server.url, "PENSTOCK_USER": "erika",
                       "PENSTOCK_PASSWORD_FILE": str(self.password), "PATH": "/usr/bin:/bin"}
        for words, wanted in ((["tenant", "set", "r"], {"red", "rose"}), (["tenant", "sh"], {"show"}),
                              (["tenant", "add", "r"], set()), (["ten"], {"tenant"})):
            line = " ".join(f"'{word}'" for word in [str(program), *words])
            script = (f". {places.ROOT}/debian/completion.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}\n"
                      f"_penstock {program} {words[-1]} ''; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
            with self.subTest(words):
                self.assertEqual(wanted, set(done.stdout.split()), done.stderr)
        self.assertFalse((self.directory / "x").exists())

    def test_show_fails_for_a_tenant_that_does_not_work(self):
        for status, code in (("active", 0), ("stopped", 4), ("degraded", 4), (None, 4)):
            state = (200, {"penstock-state:tenant": [STATE | {"status": status}]}) if status else (404, b"")
            server = served(self, (200, {"penstock:tenant": [RED]}), state)
            self.assertEqual(code, self.run_command(server, "tenant", "show", "red")[0], status)

    def test_nodes_and_functions_that_do_not_work(self):
        for kind, state, right in (("node", {"connected": True, "in-sync": True}, True),
                                   ("node", {"connected": True, "in-sync": False}, False), ("node", None, False),
                                   ("function", {"status": "down"}, False), ("chain", None, True)):
            self.assertEqual(right, objects.is_right(kind, Found({"name": "a"}, state)), (kind, state))

    def test_what_show_prints_is_what_set_reads(self):
        server = served(self, (200, {"penstock:tenant": [RED]}), (404, b""), (200, {"penstock:tenant": [RED]}),
                        (204, b""))
        _, out, _ = self.run_command(server, "tenant", "show", "red", "--json")
        file = self.directory / "red.json"
        file.write_text(out, encoding="utf-8")
        self.assertEqual(0, self.run_command(server, "tenant", "set", "red", "--file", str(file))[0])
        edit = server.requests[-1][2]["ietf-yang-patch:yang-patch"]["edit"][0]
        self.assertEqual(("replace", {"penstock:tenant": [RED]}), (edit["operation"], edit["value"]))
        self.assertEqual(2, self.run_command(server, "tenant", "set", "blue", "--file", str(file))[0])

    def test_exit_codes(self):
        refusing = served(self, (400, refused("tenant red: vlan: 5000 is not in 1..4094")))
        for server, words, code, told in (
                (refusing, ["tenant", "add", "red", "attachment=a/vlan=5000"], 5, "is not in 1..4094"),
                (refusing, ["tenant", "add", "red", "nothing=1"], 2, "tenant has no nothing"),
                (refusing, ["tenant", "set", "red"], 2, "nothing is to be set"),
                (refusing, ["tenant", "show"], 2, "needs the NAME"), (refusing, ["pool", "list", "a"], 2, "show a"),
                (refusing, ["tenant", "show", "red", "--file", "x"], 2, "--file is an option of add and set"),
                (refusing, ["import", "/nowhere"], 2, "cannot be read"), (refusing, ["hosts", "red"], 5, "5000"),
                (served(self, (200, {"a": []})), ["tenant", "show", "red"], 1, "is it the controller?"),
                (served(self, (200, ["x"])), ["tenant", "list"], 1, "is it the controller?"),
                (served(self, (404, b"")), ["tenant", "delete", "a", "b"], 5, "no tenant a\nthere is no tenant b"),
                ("http://127.0.0.1:1", ["tenant", "list"], 3, "no answer"),
                ("http://127.0.0.1:1", ["why", "red"], 3, "no answer"),
                ("http://192.0.2.1", ["tenant", "list"], 2, "use https")):
            with self.subTest(words):
                found, out, errors = self.run_command(server, *words)
                self.assertEqual((code, ""), (found, out))
                self.assertIn(told, errors)

    def test_options_may_stand_anywhere(self):
        for words in (("--inbound", "198.51.100.10", "203.0.113.5", "80"),
                      ("198.51.100.10", "--inbound", "203.0.113.5", "80", "--json"),
                      ("198.51.100.10", "--protocol", "udp", "203.0.113.5", "80", "--inbound"),
                      ("198.51.100.10", "203.0.113.5", "80", "--inbound")):
            with self.subTest(words):
                server = served(self, (200, {"penstock-operations:output": {"cause": "none", "answer": "Fine."}}))
                code, _, errors = self.run_command(server, "why", "red", *words)
                self.assertEqual((0, ""), (code, errors))
                given = server.requests[-1][2]["penstock-operations:input"]
                self.assertEqual({"tenant": "red", "host": "198.51.100.10", "destination": "203.0.113.5", "port": 80,
                                  "inbound": True}, {name: given[name] for name in given if name != "protocol"})
                self.assertEqual("udp" if "udp" in words else None, given.get("protocol"))

    def test_an_interrupt_tells_that_a_change_may_have_been_made(self):
        with mock.patch("penstock_client.client.Client.create", side_effect=KeyboardInterrupt):
            code, _, errors = self.run_command("http://127.0.0.1:1", "pool", "add", "west")
        self.assertEqual(130, code)
        self.assertIn("may have been made", errors)

    def test_texts_of_others_do_not_command_the_terminal(self):
        evil = "\x1b]0;x\x07\x9b2J\u202e"
        self.run_command(served(self, states(), config({"name": evil})), "tenant", "list")
        self.run_command(served(self, (200, {"penstock:tenant": [{"name": evil}]}), (404, b"")), "tenant", "show", evil)
        self.run_command(served(self, (400, refused(evil))), "tenant", "add", evil)
        code, out, _ = self.run_command(served(self, (204, b"")), "tenant", "add", evil)
        self.assertEqual((0, "tenant \\x1b]0;x\\x07\\x9b2J\\u202e added\n"), (code, out))

    def test_import_is_one_request(self):
        table, model = self.directory / "t.csv", self.directory / "t.yaml"
        table.write_text("customer\n" + "".join(f"c{number}\n" for number in range(50)), encoding="utf-8")
        model.write_text('penstock:tenant: [{name: "{customer}"}]', encoding="utf-8")
        server = served(self, (204, b""))
        code, out, _ = self.run_command(server, "import", str(table), "--template", str(model))
        self.assertEqual((0, "stored: 50\n", 1), (code, out, len(server.requests)))
        server = served(self, (400, refused("tenant c7: is bad", path="/penstock:network/tenant[name='c7']/vlan")))
        code, _, errors = self.run_command(server, "import", str(table), "--template", str(model))
        self.assertEqual(5, code)
        self.assertIn(f"{table}: line 9: tenant c7: is bad", errors)
        self.assertEqual(2, self.run_command(server, "import", str(table))[0])

    def test_a_dry_run_stores_nothing(self):
        file = self.directory / "d.json"
        file.write_text(json.dumps({"penstock:tenant": [RED]}), encoding="utf-8")

        def validated(server):
            return [edit["operation"] for edit in server.requests[0][2]["ietf-yang-patch:yang-patch"]["edit"]]
        server = served(self, (400, refused("x", path="/penstock:network/tenant[name='red']")), (404, b""))
        code, out, errors = self.run_command(server, "import", "--dry-run", str(file))
        self.assertEqual((4, ["replace", "create"]), (code, validated(server)))
        self.assertEqual(["PATCH", "GET"], [request[0] for request in server.requests])
        self.assertIn("  + attachment=office/vlan=100", out)
        self.assertEqual("penstock: x\n", errors)

    def test_diff_has_an_exit_code(self):
        file = self.directory / "d.json"
        file.write_text(json.dumps({"penstock:tenant": [RED]}), encoding="utf-8")
        same = served(self, (200, {"penstock:tenant": [RED]}))
        self.assertEqual((0, "", ""), self.run_command(same, "diff", str(file)))
        self.assertEqual(4, self.run_command(served(self, (404, b"")), "diff", str(file))[0])

    def test_export_does_not_tear(self):
        acls = (200, {"ietf-access-control-list:acls": {"acl": [{"name": "a"}]}})
        more = (200, {"ietf-access-control-list:acls": {"acl": [{"name": "a"}, {"name": "b"}]}})
        network = config({"name": "red", "egress-acl": "b"})
        server = served(self, acls, network, more, network, more, more, network, more)
        file = self.directory / "all.json"
        self.assertEqual(0, self.run_command(server, "export", str(file))[0])
        document = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual(["a", "b"], [acl["name"] for acl in document["ietf-access-control-list:acls"]["acl"]])
        self.assertEqual(2, self.run_command(server, "export", str(self.directory / "no" / "all.json"))[0])

    def test_a_user_without_rights_needs_only_the_options(self):
        become = []
        if os.geteuid() == 0:
            self.directory.chmod(0o755)
            os.chown(self.password, 65534, 65534)
            become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        server = served(self, states(STATE), config(RED))
        command = [*become, "/usr/bin/python3", str(places.ROOT / "karaf" / "penstock"), "tenant", "list"]
        environment = {"HOME": "/nonexistent", "PENSTOCK_CONTROLLER": server.url, "PENSTOCK_USER": "erika",
                       "PENSTOCK_PASSWORD_FILE": str(self.password)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertIn("203.0.113.1", done.stdout)
        done = subprocess.run(command, env={"HOME": "/nonexistent"}, capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn("no controller is named", done.stderr)

    def test_commands_load_nothing_of_the_others(self):
        code = ("import sys; from penstock_launcher.entry import main\n"
                "try: main(['tenant', 'list', '--help'])\n"
                "except SystemExit: print(*sorted(sys.modules), file=sys.stderr)")
        done = subprocess.run(["/usr/bin/python3", "-c", code], env={"PYTHONPATH": places.python_path()},
                              capture_output=True, text=True, check=True)
        loaded = set(done.stderr.split())
        self.assertIn("penstock_client.client", loaded)
        self.assertEqual(set(), loaded & {"yaml", "jsonschema", "penstock_controller", "penstock_node",
                                          "penstock_launcher.cli"})


class TablesTest(unittest.TestCase):
    def test_lines_end_at_the_edge_of_the_terminal(self):
        text = tables.table(("a", "b"), [("x", "y" * 50)])
        self.assertEqual(["a  b", "x  yyyyyy…"], tables.fitted(text, 10).splitlines())
        self.assertEqual(text, tables.fitted(text, 53))


if __name__ == "__main__":
    unittest.main()
