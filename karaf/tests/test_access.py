# SPDX-License-Identifier: Apache-2.0
"""Accounts and the audit log: commands against a controller that answers as the real one, and logs made here."""

import contextlib
import http.server
import io
import json
import pathlib
import tempfile
import threading
import unittest
from unittest import mock

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_launcher import audit, cli, running, users

from .test_nat_journal import Writer


class Controller(http.server.BaseHTTPRequestHandler):
    """Keeps what it was asked."""

    asked: list
    answer: dict

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body))
        text = json.dumps(self.answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class UsersTest(unittest.TestCase):
    def setUp(self):
        Controller.asked, Controller.answer = [], {"penstock-access:output": {"user": [
            {"name": "red", "role": "tenant", "tenant": ["b", "a"], "changed": "2026-11-26T12:00:00Z"}]}}
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Controller)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        client = Restconf(f"http://127.0.0.1:{server.server_port}/rests", "admin", "x")
        for name, value in (("is_running", lambda: True), ("restconf", lambda: client)):
            patch = mock.patch.object(running, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch("os.geteuid", lambda: 0)
        patch.start()
        self.addCleanup(patch.stop)

    def run_cli(self, *words, typed=""):
        """Exit code and output of a command."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), \
                mock.patch("sys.stdin", io.StringIO(typed)):
            code = cli.main(list(words))
        return code, output.getvalue()

    def test_accounts_are_shown(self):
        code, output = self.run_cli("user")
        self.assertEqual(0, code)
        self.assertEqual(["NAME   ROLE      TENANTS  CHANGED", "admin  provider           by its file",
                          "red    tenant    a,b      2026-11-26T12:00:00Z"], output.splitlines())
        self.assertIn('"users"', self.run_cli("user", "list", "--json")[1])

    def test_a_password_is_generated_and_shown_once(self):
        code, output = self.run_cli("user", "add", "red", "--role", "tenant", "--tenant", "red", "--tenant", "blue")
        self.assertEqual(0, code)
        (path, body), = Controller.asked
        given = body["penstock-access:input"]
        self.assertEqual("/rests/operations/penstock-access:set-user", path)
        self.assertEqual({"name": "red", "is-new": True, "role": "tenant", "tenant": ["red", "blue"]},
                         {name: value for name, value in given.items() if name != "password"})
        self.assertEqual(f"password of red: {given['password']}\n", output)
        self.assertGreaterEqual(len(given["password"]), 32)

    def test_a_password_is_read_and_not_shown(self):
        code, output = self.run_cli("user", "set", "red", "--ask", typed="a long password\n")
        self.assertEqual((0, ""), (code, output))
        self.assertEqual({"name": "red", "is-new": False, "password": "a long password"},
                         Controller.asked[0][1]["penstock-access:input"])
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("another password\nsecond line\n")
            file.flush()
            self.assertEqual(0, self.run_cli("user", "set", "red", "--password-file", file.name)[0])
        self.assertEqual("another password", Controller.asked[1][1]["penstock-access:input"]["password"])

    def test_what_is_not_given_stays_and_another_role_has_no_tenants(self):
        self.run_cli("user", "set", "red", "--role", "reader")
        self.run_cli("user", "set", "red", "--tenant", "blue")
        self.assertEqual([{"name": "red", "is-new": False, "role": "reader", "tenant": []},
                          {"name": "red", "is-new": False, "tenant": ["blue"]}],
                         [body["penstock-access:input"] for _, body in Controller.asked])

    def test_a_short_password_and_a_missing_file_are_refused(self):
        for words, typed in ((["--ask"], "short\n"), (["--ask"], ""), (["--password-file", "/none/there"], "")):
            code, output = self.run_cli("user", "set", "red", *words, typed=typed)
            self.assertEqual(1, code)
            self.assertIn("password", output)
        self.assertEqual([], Controller.asked)

    def test_a_name_and_a_role_are_needed(self):
        for words in (["add"], ["set"], ["delete"], ["add", "red"]):
            self.assertEqual(1, self.run_cli("user", *words)[0])
        self.assertEqual([], Controller.asked)

    def test_a_generated_password_is_one_that_the_model_takes(self):
        self.assertEqual(32, len(users.checked(users.made())))

    def test_an_account_is_removed(self):
        self.assertEqual(0, self.run_cli("user", "delete", "red")[0])
        self.assertEqual([("/rests/operations/penstock-access:delete-user",
                           {"penstock-access:input": {"name": "red"}})], Controller.asked)


class AuditTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        common = {"member": "member-1", "source": "127.0.0.1"}
        writer = Writer(self.directory)
        writer.add(0, "opened")
        writer.add(1, "request", **common, user="red", role="tenant", method="PUT", path="/rests/data/x\u001b[2J")
        writer.add(2, "login-failed", **common, user="red", method="GET", path="/y")
        writer.add(3, "done", member="member-1", request=2, status=204, before=[], after=[{"at": "x", "is": 1}])
        writer.add(4, "request", **common, user="op", role="operator", method="POST", path="/z", input={"a": 1})
        writer.add(5, "refused", **common, user="op", role="operator", method="GET", path="/y", reason="none of it")
        writer.name = "audit-000000000001.jsonl"
        self.file = writer.write()

    def run_cli(self, *words):
        """Exit code and output of a command."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = cli.main(["audit", *words, "--directory", str(self.directory)])
        return code, output.getvalue()

    def test_requests_are_shown_with_what_became_of_them(self):
        code, output = self.run_cli("show")
        self.assertEqual(0, code)
        self.assertEqual([
            '2 2026-11-21T10:00:01Z member-1 "red" (tenant) from 127.0.0.1: PUT "/rests/data/x\\u001b[2J": 204',
            '    after [{"at": "x", "is": 1}]',
            '3 2026-11-21T10:00:02Z member-1 "red" from 127.0.0.1: GET "/y": login-failed',
            '5 2026-11-21T10:00:04Z member-1 "op" (operator) from 127.0.0.1: POST "/z": not known, the controller '
            'ended meanwhile',
            '6 2026-11-21T10:00:05Z member-1 "op" (operator) from 127.0.0.1: GET "/y": refused: none of it'],
            output.splitlines())

    def test_entries_are_chosen(self):
        for words, number in ((["--user", "op"], 2), (["--event", "refused"], 1), (["--path", "/rests"], 1),
                              (["--since", "2026-11-21T10:00:04Z"], 2), (["--until", "2026-11-21T10:00:01Z"], 1)):
            found = json.loads(self.run_cli("show", "--json", *words)[1])["entries"]
            self.assertEqual(number, len(found), words)
        self.assertEqual({"status": 204, "before": [], "after": [{"at": "x", "is": 1}]},
                         json.loads(self.run_cli("show", "--json")[1])["entries"][0]["result"])

    def test_a_log_is_verified(self):
        self.assertEqual((0, "whole: 6 entries in 1 segments, 2026-11-21T10:00:00Z to 2026-11-21T10:00:05Z\n"),
                         self.run_cli("verify"))
        self.file.write_text(self.file.read_text(encoding="utf-8").replace('"PUT"', '"GET"'), encoding="utf-8")
        code, output = self.run_cli("verify")
        self.assertEqual(1, code)
        self.assertIn("line 2: its hash does not follow", output)

    def test_no_log_is_said(self):
        with self.assertRaisesRegex(PenstockError, "there is no journal"):
            audit.entries(self.directory / "none", audit.Wanted())
