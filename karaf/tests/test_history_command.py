# SPDX-License-Identifier: Apache-2.0
"""./penstock history: what is asked of each member, and what is shown."""

import contextlib
import datetime
import io
import json
import pathlib
import tempfile
import unittest

from penstock_launcher import arguments, remote_cli

from .restconf_server import refused, served

THERE = 200, {"ietf-access-control-list:acls": {}}


def change(number, time, *entries, user="erika", status=200):
    return {"number": str(number), "time": f"2026-11-26T12:00:{time:02}Z", "user": user, "role": "operator",
            "source": "192.0.2.9", "entry": list(entries)} | ({} if status is None else {"status": status})


def entry(kind, name, path=None, before=None, after=None):
    values = {"kind": kind, "name": name, "path": path, "before": before and json.dumps(before),
              "after": after and json.dumps(after)}
    return {leaf: value for leaf, value in values.items() if value is not None}


def page(*changes, member="member-1", following=None, problems=()):
    output = {"member": member, "change": list(changes), "problem": list(problems)}
    return 200, {"penstock-access:output": output | ({"continue-before": str(following)} if following else {})}


MOVED = entry("tenant", "red", None, {"name": "red", "attachment": [{"name": "office", "vlan": "100"}]},
              {"name": "red", "attachment": [{"name": "office", "vlan": "200"}]})


class HistoryTest(unittest.TestCase):
    def setUp(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.password = directory / "password"
        self.password.write_text("secret", encoding="utf-8")
        self.password.chmod(0o600)

    def run_command(self, urls, *words):
        """Exit code, output and errors."""
        out, errors = io.StringIO(), io.StringIO()
        controllers = [word for url in urls for word in ("--controller", url)]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = remote_cli.main(["history", *words, *controllers, "--user", "erika", "--password-file",
                                    str(self.password)])
        self.assertNotIn("\x1b", out.getvalue() + errors.getvalue())
        self.assertNotIn("secret", out.getvalue() + errors.getvalue())
        return code, out.getvalue(), errors.getvalue()

    def test_a_change(self):
        server = served(self, THERE, page(change(7, 1, MOVED)))
        code, out, _ = self.run_command([server.url], "red")
        self.assertEqual(0, code)
        self.assertEqual(["2026-11-26T12:00:01Z erika (operator) from 192.0.2.9, member-1 7", "  tenant red",
                          "    - attachment=office/vlan=100", "    + attachment=office/vlan=200"], out.splitlines())
        self.assertEqual({"penstock-access:input": {"kind": "tenant", "name": "red", "last": 20}},
                         server.requests[1][2])

    def test_entries_are_added_and_deleted(self):
        server = served(self, THERE, page(
            change(7, 1, entry("pool", "west", None, None, {"name": "west", "prefix": ["192.0.2.0/29"]}),
                   entry("acl", "x", None, {"name": "x", "aces": {"ace": [{"name": "web"}]}}),
                   entry("tenant", "red", "route=10.1.0.0%2F16/next-hop", "10.0.0.1", "10.0.0.2"),
                   entry("backbone", None, None, {"mtu": "1500"}, {"mtu": "9000"}))))
        self.assertEqual([
            "  pool west added", "    + prefix=192.0.2.0/29", "  acl x deleted", "    - aces/ace=web", "  tenant red",
            "    - route=10.1.0.0%2F16/next-hop=10.0.0.1", "    + route=10.1.0.0%2F16/next-hop=10.0.0.2", "  backbone",
            "    - mtu=1500", "    + mtu=9000"], self.run_command([server.url])[1].splitlines()[1:])

    def test_what_is_not_known(self):
        server = served(self, THERE, page(change(9, 2, {"not-logged": "40000"}),
                                          change(7, 1, entry("tenant", "red", "quota"), status=None)))
        self.assertEqual([
            "2026-11-26T12:00:01Z erika (operator) from 192.0.2.9, member-1 7: not known, the request runs or the "
            "controller ended meanwhile", "  tenant red",
            "2026-11-26T12:00:02Z erika (operator) from 192.0.2.9, member-1 9", "  entries that the log does not name",
            "    the log does not have the values: they are 40000 bytes"],
            self.run_command([server.url], "red")[1].splitlines())

    def test_members_are_merged_by_time(self):
        first = served(self, THERE, page(change(9, "03.500", MOVED), change(7, 1, MOVED)))
        second = served(self, THERE, page(change(4, 3, MOVED), change(2, 2, MOVED), member="member-2"))
        code, out, _ = self.run_command([first.url, second.url], "--last", "3")
        self.assertEqual((0, ["member-2 2", "member-2 4", "member-1 9"]), (code, [
            line.partition(", ")[2] for line in out.splitlines() if line.startswith("2026")]))

    def test_a_member_that_does_not_answer_is_named(self):
        server = served(self, THERE, page(change(7, 1, MOVED)))
        code, out, _ = self.run_command([server.url, "http://127.0.0.1:1"])
        self.assertEqual(4, code)
        self.assertIn("member-1 7", out)
        self.assertIn("not complete: http://127.0.0.1:1/rests does not answer", out)
        server = served(self, THERE, page(change(7, 1, MOVED)))
        _, out, _ = self.run_command([server.url, "http://127.0.0.1:1"], "--json")
        self.assertIn("http://127.0.0.1:1/rests does not answer", json.loads(out)["missing"][0])
        self.assertEqual({"name": "red", "attachment": [{"name": "office", "vlan": "200"}]},
                         json.loads(out)["changes"][0]["entries"][0]["after"])
        code, _, errors = self.run_command(["http://127.0.0.1:1"])
        self.assertEqual(3, code)
        self.assertIn("no answer", errors)

    def test_it_goes_on_until_all_are_there(self):
        pages = [page(change(9, 3, MOVED), following=9), page(following=5), page(change(2, 1, MOVED))]
        server = served(self, THERE, *pages)
        _, out, _ = self.run_command([server.url], "--last", "2")
        self.assertEqual(2, out.count("tenant red"))
        self.assertEqual([(None, 2), (9, 1), (5, 1)], [
            (asked[2]["penstock-access:input"].get("before"), asked[2]["penstock-access:input"]["last"])
            for asked in server.requests[1:]])
        server = served(self, THERE, *pages)
        _, out, _ = self.run_command([server.url], "--since", "2026-11-26T13:00:00+01:00")
        self.assertEqual(2, out.count("tenant red"))
        self.assertEqual({"since": "2026-11-26T12:00:00Z", "last": 500},
                         server.requests[1][2]["penstock-access:input"])

    def test_an_answer_without_end(self):
        server = served(self, THERE, page(following=5))
        code, _, errors = self.run_command([server.url])
        self.assertEqual(3, code)
        self.assertIn("is it the controller?", errors)

    def test_what_cannot_be_read_is_told(self):
        server = served(self, THERE, page(problems=["segment audit-1 of the audit log cannot be read\x1b[2J"]))
        code, out, _ = self.run_command([server.url])
        self.assertEqual((4, "no changes"), (code, out.splitlines()[0]))
        self.assertIn("segment audit-1 of the audit log cannot be read", out)

    def test_texts_command_no_terminal(self):
        server = served(self, THERE, page(change(7, 1, entry("tenant", "\x1b[2J", "\x1b[1m", "\x1b\n", "\u202e"),
                                                 user="\x1b]0;")))
        self.assertIn("tenant", self.run_command([server.url])[1])

    def test_a_refusal(self):
        server = served(self, (403, refused("role tenant has no POST of it", "access-denied")))
        code, _, errors = self.run_command([server.url])
        self.assertEqual((5, "penstock: role tenant has no POST of it\n"), (code, errors))

    def test_wrong_words(self):
        for words, text in ((["a", "b"], "there is no kind of entry a: use one of acl"),
                            (["pool", "b", "c"], "history takes the name of a tenant")):
            code, _, errors = self.run_command(["http://127.0.0.1:1"], *words)
            self.assertEqual(2, code)
            self.assertIn(text, errors)

    def test_times(self):
        now = datetime.datetime.now(datetime.UTC)
        self.assertAlmostEqual(7200, (now - arguments.since("2h")).total_seconds(), delta=60)
        self.assertEqual(datetime.datetime(2026, 11, 26, 11, tzinfo=datetime.UTC),
                         arguments.since("2026-11-26T12:00:00+01:00"))
        for wrong in ("2", "h", "-2h", "2026-11-26", "999999d", "1w"):
            with self.subTest(wrong), self.assertRaises(arguments.argparse.ArgumentTypeError):
                arguments.since(wrong)
