# SPDX-License-Identifier: Apache-2.0
"""The client of RESTCONF at an HTTP server that answers as it is told and keeps each request."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_client import Client, Edit, Refused, Unreachable, comparison, documents, edits, kinds, paths, target
from penstock_client.errors import Problem, WrongUsage

from .restconf_server import refused, served

TENANT = kinds.kind("tenant")


def of(*urls):
    return Client([Restconf(url, "erika", "secret", 5) for url in urls])


NOWHERE = "http://127.0.0.1:1/rests"


class ClientTest(unittest.TestCase):
    def test_names_with_odd_letters_stay_one_segment(self):
        for name in ("a/b", "a,b=c", "50%", "é?#&", "..", "a b", "';drop"):
            with self.subTest(name):
                server = served(self, (200, {"penstock:tenant": [{"name": name}]}))
                self.assertEqual({"name": name}, of(server.url).entry("tenant", name))
                path = server.requests[0][1].partition("?")[0]
                self.assertEqual(5, path.count("/") + 1, path)
                self.assertTrue(path.startswith("/rests/data/penstock:network/tenant="), path)
                self.assertEqual((name,), paths.parse(f"tenant={path.partition('=')[2]}", {"tenant": TENANT.node}, "")
                                 .steps[0].keys)

    def test_a_change_has_the_named_leaves_alone(self):
        entry = (200, {"penstock:tenant": [{"name": "red", "nat": {"pool": "public"}}]})
        server = served(self, entry, (204, b""), entry)
        of(server.url).change("tenant", "red", ["quota/sessions=500", "attachment=office/vlan=7"], ["dns"])
        method, path, document, _ = server.requests[1]
        self.assertEqual(("PATCH", "/rests/data"), (method, path))
        self.assertEqual([
            {"edit-id": "1", "operation": "delete", "target": "/penstock:network/tenant=red/dns"},
            {"edit-id": "2", "operation": "merge", "target": "/penstock:network/tenant=red/quota",
             "value": {"penstock:quota": {"sessions": "500"}}},
            {"edit-id": "3", "operation": "merge", "target": "/penstock:network/tenant=red/attachment=office",
             "value": {"penstock:attachment": [{"name": "office", "vlan": "7"}]}}],
            document["ietf-yang-patch:yang-patch"]["edit"])

    def test_a_tenant_that_was_deleted_meanwhile_is_told(self):
        server = served(self, (200, {"penstock:tenant": [{"name": "red", "nat": {"pool": "public"}}]}), (204, b""),
                        (200, {"penstock:tenant": [{"name": "red", "quota": {"sessions": 500}}]}))
        with self.assertRaisesRegex(PenstockError, "tenant red was deleted by another client"):
            of(server.url).change("tenant", "red", ["quota/sessions=500"])

    def test_a_member_that_is_away_is_passed_over(self):
        server = served(self, (200, {"penstock:network": {"pool": [{"name": "public"}]}}))
        client = of(NOWHERE, server.url)
        self.assertEqual(["public"], client.names("pool"))
        self.assertEqual(["public"], client.names("pool"))
        with self.assertRaisesRegex(Unreachable, "no answer from http://127.0.0.1:1"):
            of(NOWHERE, NOWHERE).names("pool")

    def test_a_change_whose_answer_is_lost_is_not_sent_to_another_member(self):
        first, second = served(self, (200, {}), (None, None)), served(self, (204, b""))
        with self.assertRaisesRegex(Unreachable, "not known whether the change was made"):
            of(first.url, second.url).delete("pool", ["west"])
        self.assertEqual([], second.requests)

    def test_refusals_have_all_reasons(self):
        server = served(self, (400, refused("tenant red: vlan: 5000 is not in 1..4094", path="/x")))
        with self.assertRaises(Refused) as caught:
            of(server.url).create("tenant", {"name": "red"})
        self.assertEqual((Problem("tenant red: vlan: 5000 is not in 1..4094", "/x", "invalid-value"),),
                         caught.exception.problems)
        exists = served(self, (409, refused("Data already exists", "data-exists")))
        with self.assertRaisesRegex(Refused, "there is a tenant red already"):
            of(exists.url).create("tenant", {"name": "red"})
        with self.assertRaisesRegex(Refused, "does not know this account"):
            of(served(self, (401, b"")).url).names("tenant")

    def test_no_password_follows_a_redirect(self):
        with self.assertRaises(Refused) as caught:
            of(served(self, (302, b"")).url).names("tenant")
        self.assertEqual(302, caught.exception.status)

    def test_https_needs_the_certificate_of_the_authority(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = directory / "cert.pem", directory / "key.pem"
        for name, files in (("127.0.0.1", (certificate, key)), ("127.0.0.2", (directory / "other.pem", key))):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x",
                            "-addext", f"subjectAltName=IP:{name}", "-out", files[0], "-keyout", files[1]], check=True,
                           capture_output=True)
            server = served(self, (200, {"penstock:network": {"pool": [{"name": "west"}]}}), tls=files)
            url = server.url.replace("http:", "https:")

            def client(ca, url=url):
                return Client.of(target.Target((url,), "erika", "secret", ca, 5))
            with self.assertRaisesRegex(Unreachable, "CERTIFICATE_VERIFY_FAILED"):
                client(None).names("pool")
            if name == "127.0.0.1":
                self.assertEqual(["west"], client(certificate).names("pool"))
            else:
                with self.assertRaisesRegex(Unreachable, "not valid for '127.0.0.1'"):
                    client(files[0]).names("pool")
                self.assertEqual([], server.requests)

    def test_an_answer_that_is_no_json_is_an_error_for_people(self):
        with self.assertRaisesRegex(PenstockError, "no JSON: is it the controller"):
            of(served(self, (200, b"<html>")).url).names("tenant")

    def test_validation_stores_nothing_and_shows_only_what_was_asked(self):
        server = served(self, (400, {"errors": {"error": []}}))
        red = Edit("replace", TENANT.tree, (edits.entry_step(TENANT, "red"),), {"name": "red"})
        found = of(server.url).validate([red])
        sent = server.requests[0][2]["ietf-yang-patch:yang-patch"]["edit"]
        self.assertEqual(["replace", "create"], [edit["operation"] for edit in sent])
        broken = sent[1]["value"]["penstock:tenant"][0]
        self.assertEqual(broken["name"], broken["egress-acl"])
        self.assertNotIn(broken["name"], str(found))
        stored = served(self, (204, b""))
        with self.assertRaisesRegex(PenstockError, "has stored what it was asked to check"):
            of(stored.url).validate([])
        self.assertEqual("delete", stored.requests[1][2]["ietf-yang-patch:yang-patch"]["edit"][0]["operation"])


class PathsTest(unittest.TestCase):
    def wrong(self, text, words):
        with self.assertRaisesRegex(WrongUsage, words):
            edits.new_entry(TENANT, "red", [text])

    def test_entries_of_pairs(self):
        self.assertEqual(
            {"name": "red", "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "attachment": ["a", "b"]}],
             "route": [{"prefix": "10.1.0.0/16", "next-hop": "10.0.0.2"}], "dns": {"domain": "a=b"}},
            edits.new_entry(TENANT, "red", ["subnet=lan/prefix=10.0.0.0/24", "subnet=lan/attachment=a",
                                            "subnet=lan/attachment=b", "route=10.1.0.0%2F16/next-hop=10.0.0.2",
                                            "dns/domain=a=b"]))

    def test_what_is_wrong_is_told_with_the_remedy(self):
        self.wrong("atachment=a/vlan=1", "did you mean attachment")
        self.wrong("quota=1", "container")
        self.wrong("attachment/vlan=1", "name the entry, as attachment=NAME")
        self.wrong("route=10.0.0.0/24/next-hop=10.0.0.1", "%2F")
        self.wrong("egress-acl", "needs a value")
        self.wrong("name=blue", "is a key")
        self.wrong("", "tenant has no")
        with self.assertRaisesRegex(WrongUsage, "given twice"):
            edits.new_entry(TENANT, "red", ["chain=a", "chain=b"])
        with self.assertRaisesRegex(WrongUsage, "removes no single value"):
            edits.changes(kinds.kind("pool"), "public", [], ["prefix=203.0.113.0/28"])


class DocumentsTest(unittest.TestCase):
    def document(self, text, name="d.yaml"):
        return documents.parse(text, pathlib.Path(name))

    def test_yaml_has_no_types(self):
        self.assertEqual({"penstock:tenant": [{"name": "no", "mac": "02:00:00:00:00:05", "vlan": "0100"}]},
                         self.document("penstock:tenant: [{name: no, mac: 02:00:00:00:00:05, vlan: 0100}]"))

    def test_a_field_twice_is_an_error(self):
        for text in ("a: 1\na: 2", '{"a": 1, "a": 2}'):
            with self.assertRaisesRegex(WrongUsage, "twice"):
                self.document(text)

    def test_yaml_makes_no_objects(self):
        self.assertEqual({"a": "x"}, self.document("a: !!python/object/apply:os.system x"))

    def test_units_are_entries(self):
        found = documents.units(self.document(
            "penstock:network: {tenant: [{name: red}], backbone: {route: [{prefix: 0.0.0.0/0, next-hop: 192.0.2.1}]},"
            " resolver: {upstream: [192.0.2.53]}}\npenstock:pool: [{name: west}]"))
        self.assertEqual(["tenant=red", "backbone/route=0.0.0.0%2F0,192.0.2.1", "resolver", "pool=west"],
                         [unit.where for unit in found])

    def test_other_documents_are_refused(self):
        for text, words in (("penstock:tenant: {a: b}", "list of entries"),
                            ("penstock:tenant: [{vlan: 1}]", "has no name"),
                            ("penstock:tenants: []", "no penstock:tenants"), ("[1]", "is an object"),
                            ("penstock:tenant: [{name: a}, {name: a}]", "occurs twice")):
            with self.subTest(text), self.assertRaisesRegex(WrongUsage, words):
                documents.units(self.document(text))

    def test_problems_name_the_row(self):
        units = documents.units({"penstock:tenant": [{"name": "red"}]}, "t.csv: line 2")
        problems = [Problem("tenant red: vlan", "/penstock:network/tenant[name='red']/attachment[name='a']/vlan"),
                    Problem("tenant redder: vlan", "/penstock:network/tenant[name='redder']/vlan")]
        self.assertEqual(["t.csv: line 2: tenant red: vlan", "tenant redder: vlan"],
                         [problem.message for problem in comparison.with_origins(problems, units)])

    def test_entries_have_one_order(self):
        tenant = {"subnet": [{"name": "b", "attachment": ["y", "x"]}, {"prefix": "10.0.0.0/24", "name": "a"}],
                  "dns": {"upstream": [{"address": "9.9.9.9"}, {"address": "1.1.1.1"}]}, "name": "red"}
        server = served(self, (200, {"penstock:tenant": [tenant]}))
        self.assertEqual(
            '{"name": "red", "subnet": [{"name": "a", "prefix": "10.0.0.0/24"}, '
            '{"name": "b", "attachment": ["x", "y"]}], '
            '"dns": {"upstream": [{"address": "9.9.9.9"}, {"address": "1.1.1.1"}]}}',
            json.dumps(of(server.url).entry("tenant", "red")))

    def test_only_containers_that_mean_something_when_empty_differ(self):
        units = documents.units({"penstock:tenant": [{"name": "red", "quota": {}, "nat": {}}]})
        server = served(self, (200, {"penstock:tenant": [{"name": "red"}]}))
        self.assertEqual([["+ nat"]], [lines for _, lines in comparison.differences(of(server.url), units)])

    def test_differences_of_few_and_of_many_units_are_the_same(self):
        few = documents.units({"penstock:tenant": [{"name": "red", "quota": {"sessions": "5"}}, {"name": "new"}]})
        more = documents.units({"penstock:tenant": [{"name": f"t{number}"} for number in range(9)]})
        red = {"name": "red", "quota": {"sessions": 4}}
        one = served(self, (200, {"penstock:tenant": [red]}), (404, b""))
        whole = served(self, (200, {"penstock:network": {"tenant": [red, *(unit.value for unit in more)]}}))
        wanted = [("tenant=red", ["- quota/sessions=4", "+ quota/sessions=5"]), ("tenant=new", ["+ name=new"])]
        for server, units in ((one, few), (whole, [*few, *more])):
            self.assertEqual(wanted, [(unit.where, lines) for unit, lines
                                      in comparison.differences(of(server.url), units)])
        self.assertEqual(1, len(whole.requests))


class TargetTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.password = self.file("password", "secret\n")

    def file(self, name, text, mode=0o600):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def find(self, given=None, local=None, **environment):
        return target.find(given, local, {"XDG_CONFIG_HOME": str(self.directory)} | environment)

    def test_options_come_before_the_environment_and_the_profile(self):
        self.file("penstock/controller.yaml", "controller: https://192.0.2.3\nuser: p\npassword: q")
        found = self.find()
        self.assertEqual((("https://192.0.2.3/rests",), "p", "q"), (found.urls, found.user, found.password))
        self.assertNotIn("'q'", repr(found))
        environment = {"PENSTOCK_CONTROLLER": "https://192.0.2.1:8181 https://[2001:db8::1]/rests",
                       "PENSTOCK_USER": "e",
                       "PENSTOCK_PASSWORD_FILE": str(self.password)}
        found = self.find(**environment)
        self.assertEqual((("https://192.0.2.1:8181/rests", "https://[2001:db8::1]/rests"), "e", "secret"),
                         (found.urls, found.user, found.password))
        found = self.find(target.Given(["http://localhost:8181"], "o"), **environment)
        self.assertEqual((("http://localhost:8181/rests",), "o"), (found.urls, found.user))

    def test_without_any_it_is_that_of_this_machine(self):
        local = target.Target(("http://127.0.0.1:8181/rests",), "admin", "x")
        self.assertIs(local, self.find(local=lambda: local))
        with self.assertRaisesRegex(WrongUsage, "no controller is named"):
            self.find()

    def test_files_that_others_read_are_refused(self):
        given = target.Given(["https://192.0.2.1"], "o", self.password)
        for mode in (0o640, 0o604, 0o620):
            self.password.chmod(mode)
            with self.subTest(oct(mode)), self.assertRaisesRegex(WrongUsage, "chmod 600"):
                self.find(given)
        self.file("penstock/controller.yaml", "controller: https://192.0.2.3\nuser: p\npassword: q", 0o644)
        with self.assertRaisesRegex(WrongUsage, "chmod 600"):
            self.find()

    def test_odd_password_files_are_refused(self):
        os.mkfifo(self.directory / "fifo", 0o600)
        for path, words in ((self.directory / "fifo", "no regular file"), (self.directory / "none", "cannot be read"),
                            (self.file("empty", "\n"), "is empty")):
            with self.subTest(path.name), self.assertRaisesRegex(WrongUsage, words):
                self.find(target.Given(["https://192.0.2.1"], "o", path))

    def test_plain_text_stays_on_this_machine(self):
        for url in ("http://192.0.2.1:8181", "http://127.0.0.1.example.org", "http://localhost.example.org",
                    "http://127.0.0.1@192.0.2.1", "ftp://127.0.0.1", "https://a:b@192.0.2.1", "https://x y", "https://",
                    "https://192.0.2.1:99999", "https://192.0.2.1/?a", "\x1b[2J"):
            with self.subTest(url), self.assertRaises(WrongUsage) as caught:
                target.checked_url(url)
            self.assertNotIn("\x1b", str(caught.exception))
        for url in ("http://127.0.0.1:8181", "http://[::1]:8181", "https://controller.example.org"):
            self.assertEqual(f"{url}/rests", target.checked_url(url))

    def test_wrong_profiles_are_told(self):
        for text, words in (("controller: https://a\nuser: p", "password is missing"),
                            ("user: p", "controller: is missing"),
                            ("controller: https://a\nuser: p\npassword: q\npassword-file: r", "give one of them"),
                            ("controler: https://a", "unknown field"), ("controller: [[a]]", "is missing")):
            self.file("penstock/controller.yaml", text)
            with self.subTest(text), self.assertRaisesRegex(WrongUsage, words):
                self.find()

    def test_an_account_at_the_controller_of_this_machine(self):
        local = target.Target(("http://127.0.0.1:8181/rests",), "admin", "x")
        found = self.find(target.Given(user="o", password_file=self.password), lambda: local)
        self.assertEqual((local.urls, "o", "secret"), (found.urls, found.user, found.password))
        with contextlib.suppress(WrongUsage):
            self.find(target.Given(user="o"), lambda: local)
            self.fail("an account without a password")


if __name__ == "__main__":
    unittest.main()
