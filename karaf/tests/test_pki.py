# SPDX-License-Identifier: Apache-2.0
"""The certificate authority: OpenSSL judges what it makes."""

import contextlib
import datetime
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519

from penstock_base import files, places
from penstock_base.errors import PenstockError
from penstock_pki import authority, certificates, cli, inspection, names
from penstock_pki.authority import Authority


def openssl(*words):
    """Whether it said yes, and its words."""
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


class PkiCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.directory = self.root / "pki"
        self.authority = Authority(self.directory)
        self.authority.init("Test CA", 100)

    def node(self, name="edge1", days=50, kind="node"):
        """Issues; returns the directory of the machine."""
        out = self.root / name
        addresses = ("192.0.2.1", "2001:db8::1", "ctl.example.net") if kind == "member" else ()
        self.authority.issue(names.owner(kind, name, addresses), days, out)
        return out

    def refused(self, words, call, *arguments):
        with self.assertRaises(PenstockError) as caught:
            call(*arguments)
        self.assertIn(words, str(caught.exception))

    def verified(self, folder, purpose):
        return openssl("verify", "-x509_strict", "-purpose", purpose, "-crl_check", "-CAfile",
                       self.directory / "ca.pem", "-CRLfile", self.directory / "crl.pem", folder / "certificate.pem")

    def inspected(self, folder, warn_days=1):
        return inspection.inspect(folder / "certificate.pem", folder / "key.pem", folder / "ca.pem",
                                  self.directory / "crl.pem", warn_days)


class AuthorityTest(PkiCase):
    def test_a_node_connects_and_a_member_serves_too(self):
        node, member = self.node(), self.node("ctl1", kind="member")
        self.assertTrue(self.verified(node, "sslclient")[0], self.verified(node, "sslclient"))
        self.assertFalse(self.verified(node, "sslserver")[0])
        for purpose in ("sslclient", "sslserver"):
            self.assertTrue(self.verified(member, purpose)[0], self.verified(member, purpose))
        _, text = openssl("x509", "-in", member / "certificate.pem", "-noout", "-ext", "subjectAltName")
        for name in ("URI:penstock://member/ctl1", "DNS:ctl1", "DNS:ctl.example.net", "IP Address:192.0.2.1",
                     "IP Address:2001:DB8:0:0:0:0:0:1"):
            self.assertIn(name, text)

    def test_private_keys_are_for_their_user_alone(self):
        node = self.node()
        for path in (self.directory / "ca.key", self.directory / "index.json", node / "key.pem"):
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)
        self.assertEqual(self.directory.stat().st_mode & 0o777, 0o700)

    def test_a_renewed_certificate_has_the_key_of_the_one_before_which_stays_good(self):
        node = self.node()
        before = (node / "certificate.pem").read_bytes()
        key = (node / "key.pem").read_bytes()
        old = (node / "key.pem").stat()
        self.authority.renew("node", "edge1", 60, node, new_key=False)
        (self.root / "before.pem").write_bytes(before)
        self.assertNotEqual((node / "certificate.pem").read_bytes(), before)
        self.assertEqual((node / "key.pem").read_bytes(), key)
        self.assertNotEqual((node / "key.pem").stat().st_mtime_ns, old.st_mtime_ns, "Open vSwitch would not look")
        self.assertTrue(openssl("verify", "-crl_check", "-CAfile", self.directory / "ca.pem", "-CRLfile",
                                self.directory / "crl.pem", self.root / "before.pem")[0])
        self.authority.renew("node", "edge1", 70, node, new_key=True)
        self.assertNotEqual((node / "key.pem").read_bytes(), key)
        self.assertEqual(self.inspected(node).problems, ())

    def test_the_key_of_another_machine_is_not_certified(self):
        self.node()
        other = self.node("edge2")
        self.refused("not that of a valid certificate", self.authority.renew, "node", "edge1", 10, other, False)
        self.refused("cannot read its key", self.authority.renew, "node", "edge1", 10, self.root / "none", False)

    def test_what_is_revoked_is_in_the_list(self):
        node = self.node()
        self.authority.renew("node", "edge1", 50, node, new_key=False)
        self.assertEqual(len(self.authority.revoke("node", "edge1", None)), 2)
        good, text = self.verified(node, "sslclient")
        self.assertFalse(good)
        self.assertIn("revoked", text)
        self.refused("has no certificate that is valid", self.authority.renew, "node", "edge1", 10, node, False)
        self.node()  # A new one, with a new key.
        self.assertTrue(self.verified(node, "sslclient")[0])

    def test_one_certificate_can_be_revoked(self):
        node = self.node()
        first = self.authority.issued()[0].serial
        self.authority.renew("node", "edge1", 50, node, new_key=False)
        self.authority.revoke("node", "edge1", first)
        self.assertTrue(self.verified(node, "sslclient")[0])
        self.refused("has no certificate with serial number", self.authority.revoke, "node", "edge1", 5)

    def test_a_name_has_one_key_at_a_time(self):
        self.node()
        self.refused("use 'pki renew'", self.node)
        self.node("edge1x")

    def test_no_node_has_the_name_of_a_member(self):
        self.node()
        self.refused("choose another name", self.node, "edge1", 5, "member")
        self.node("ctl1", kind="member")
        self.refused("choose another name", self.node, "ctl1")

    def test_a_second_authority_takes_the_place_of_none(self):
        before = (self.directory / "ca.key").read_bytes()
        self.refused("has an authority already", self.authority.init, "Other", 10)
        self.assertEqual((self.directory / "ca.key").read_bytes(), before)

    def test_no_certificate_outlives_its_authority(self):
        self.refused("the authority itself ends", self.node, "edge1", 101)
        self.assertEqual(self.authority.issued(), [])

    def test_names_that_would_be_read_otherwise_are_refused(self):
        for kind, name, addresses in (("node", "Edge", ()), ("node", "edge1\nx", ()), ("node", "a" * 12, ()),
                                      ("node", "edge1", ("192.0.2.1",)), ("member", "ctl1", ()),
                                      ("member", "ctl1", ("x y",)), ("member", "a:b", ("192.0.2.1",)),
                                      ("node", "", ()), ("member", "ctl1", ("penstock://node/x",))):
            with self.subTest(f"{kind} {name} {addresses}"), self.assertRaises(PenstockError):
                names.owner(kind, name, addresses)

    def test_a_damaged_directory_is_not_taken_for_an_empty_one(self):
        self.node()
        for name in ("index.json", "ca.key", "crl.pem", "ca.pem"):
            with self.subTest(name):
                path = self.directory / name
                content = path.read_bytes()
                path.write_bytes(b"")
                with self.assertRaises((PenstockError, ValueError)):
                    self.authority.issued()
                path.unlink()
                with self.assertRaises(PenstockError):
                    self.authority.issued()
                path.write_bytes(content)


class CrashTest(PkiCase):
    """The process ends between any two files."""

    def interrupted(self, work, after):
        """Does the work until so many files were replaced."""
        left = after
        replace = files.replace

        def counted(*arguments):
            nonlocal left
            if not left:
                raise KeyboardInterrupt
            left -= 1
            replace(*arguments)
        with mock.patch.object(files, "replace", counted):
            try:
                work()
            except KeyboardInterrupt:
                return True
        return False

    def test_a_revocation_is_whole_after_the_next_command(self):
        node = self.node()
        self.assertTrue(self.interrupted(lambda: self.authority.revoke("node", "edge1", None), 1))
        self.assertTrue(self.verified(node, "sslclient")[0], "this is the moment that is tried")
        self.authority.issued()
        self.assertFalse(self.verified(node, "sslclient")[0])

    def test_a_renewal_leaves_files_that_belong_together_and_can_be_repeated(self):
        node = self.node()
        for new_key in (False, True):
            for after in range(5):
                with self.subTest(f"{new_key} {after}"):
                    self.assertTrue(self.interrupted(
                        lambda new_key=new_key: self.authority.renew("node", "edge1", 50, node, new_key), after))
                    if not new_key:
                        self.assertEqual(self.inspected(node).problems, ())
                    self.authority.renew("node", "edge1", 50, node, new_key)
                    self.assertEqual(self.inspected(node).problems, ())

    def test_what_was_given_out_is_in_the_index(self):
        for after in range(6):
            name = f"edge{after}"
            self.interrupted(lambda name=name: self.node(name), after)
            if (self.root / name / "certificate.pem").exists():
                self.authority.revoke("node", name, None)
                self.assertFalse(self.verified(self.root / name, "sslclient")[0])

    def test_an_authority_that_was_begun_is_begun_again(self):
        for after in range(4):
            with self.subTest(after):
                begun = Authority(self.root / f"pki{after}")
                self.assertTrue(self.interrupted(lambda begun=begun: begun.init("CA", 10), after))
                begun.init("CA", 10)
                begun.issue(names.owner("node", "edge1"), 5, self.root / f"node{after}")

    def test_a_killed_command_stops_no_other(self):
        os.kill(process := os.fork() or self._hold(), signal.SIGKILL)
        os.waitpid(process, 0)
        self.node()

    def _hold(self):
        with self.authority._alone():
            signal.pause()
        os._exit(0)


class TogetherTest(PkiCase):
    def test_commands_at_the_same_time_lose_nothing(self):
        environment = os.environ | {"PYTHONPATH": places.python_path()}
        running = [subprocess.Popen([sys.executable, "-m", "penstock_pki", "--directory", self.directory, "issue",
                                     "node", f"edge{number}", "--days", "5"], env=environment,
                                    stdout=subprocess.DEVNULL) for number in range(6)]
        self.assertEqual([one.wait() for one in running], [0] * 6)
        self.assertEqual(sorted(one.owner.name for one in self.authority.issued()),
                         [f"edge{number}" for number in range(6)])


class InspectionTest(PkiCase):
    def test_each_fault_is_told(self):
        node, other = self.node(), self.node("edge2")
        good = {name: (node / name).read_text() for name in ("certificate.pem", "key.pem", "ca.pem")}
        self.assertEqual(self.inspected(node).problems, ())
        (node / "key.pem").write_text((other / "key.pem").read_text())
        self.assertIn("is not the key of", self.inspected(node).problems[0])
        (node / "key.pem").write_text(good["key.pem"])
        (node / "key.pem").chmod(0o644)
        self.assertIn("other users may read it", self.inspected(node).problems[0])
        (node / "key.pem").chmod(0o600)
        self.assertIn("ends on", self.inspected(node, 60).problems[0])
        foreign = Authority(self.root / "foreign")
        foreign.init("Test CA", 10)
        (node / "ca.pem").write_text((self.root / "foreign" / "ca.pem").read_text())
        self.assertIn("is not of the authority", self.inspected(node).problems[0])
        (node / "ca.pem").write_text(good["ca.pem"])
        self.authority.revoke("node", "edge1", None)
        self.assertIn("is revoked", self.inspected(node).problems[-1])

    def test_a_certificate_that_has_ended_or_is_no_owners(self):
        ca = x509.load_pem_x509_certificate((self.directory / "ca.pem").read_bytes())
        ca_key = certificates.key_of((self.directory / "ca.key").read_bytes())
        node = self.node()
        key = certificates.key_of((node / "key.pem").read_bytes())
        end = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=1)
        files.replace(node / "certificate.pem", certificates.text(
            certificates.of_owner(names.Owner("node", "edge1"), 7, end, key, ca, ca_key)))
        self.assertIn("ended on", self.inspected(node).problems[0])
        self.assertEqual(self.inspected(node).days, -1)
        files.replace(node / "certificate.pem", certificates.text(ca))
        self.assertIn("is no certificate of a member or a node", self.inspected(node).problems[0])

    def test_keys_of_other_kinds_are_refused(self):
        text = ed25519.Ed25519PrivateKey.generate().private_bytes(
            certificates.serialization.Encoding.PEM, certificates.serialization.PrivateFormat.PKCS8,
            certificates.serialization.NoEncryption())
        self.assertRaises(TypeError, certificates.key_of, text)


class CommandTest(PkiCase):
    def run_it(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["--directory", str(self.directory), *words])
        return code, out.getvalue(), err.getvalue()

    def test_the_commands_speak_json(self):
        code, text, _ = self.run_it("issue", "node", "edge1", "--json", "--days", "20")
        made = json.loads(text)
        self.assertEqual((code, made["name"], made["state"]), (0, "edge1", "valid"))
        code, text, _ = self.run_it("check", made["files"], "--json")
        self.assertEqual((code, json.loads(text)["owner"]), (1, "node edge1"), "20 days are less than 30")
        self.assertEqual(self.run_it("check", made["files"], "--warn-days", "3")[:2],
                         (0, "node edge1: good for 19 days\n"))
        self.assertEqual(len(json.loads(self.run_it("list", "--json")[1])["issued"]), 1)
        self.assertEqual(self.run_it("revoke", "node", "edge1", "--json")[0], 0)
        self.assertEqual(json.loads(self.run_it("list", "--json")[1])["issued"][0]["state"], "revoked")

    def test_errors_say_what_to_do(self):
        for words, told in ((["issue", "node", "E"], "a name of a node is"),
                            (["revoke", "node", "x"], "see 'pki list'"),
                            (["renew", "node", "x"], "use 'pki issue'"), (["init"], "give another --directory"),
                            (["check", "/none"], "copy the files of 'pki issue' again")):
            with self.subTest(words):
                code, _, error = self.run_it(*words)
                self.assertEqual(code, 1)
                self.assertIn(told, error)
        with self.assertRaises(PenstockError), mock.patch.object(authority.locks, "held", contextlib.nullcontext):
            Authority(self.root / "none").issued()


if __name__ == "__main__":
    unittest.main()
