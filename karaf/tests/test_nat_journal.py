# SPDX-License-Identifier: Apache-2.0
"""Who had a public address, read from journals: one that the controller's own test writes, and ones made here."""

import contextlib
import datetime
import gzip
import hashlib
import io
import ipaddress
import json
import os
import pathlib
import shutil
import tempfile
import unittest
import unittest.mock

from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_launcher import cli, nat_journal

SAMPLE = ROOT / "odl-apps" / "journal" / "src" / "test" / "resources" / "nat-journal"
START = datetime.datetime(2026, 11, 21, 10, tzinfo=datetime.UTC)
EXACTLY = datetime.timedelta(0)


def time(seconds):
    """As the controller writes times, some seconds after START."""
    return (START + datetime.timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


class Writer:
    """Writes a journal as the controller does."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.hash, self.number, self.lines, self.name = "0" * 64, 0, [], None

    def add(self, seconds, event, **members):
        """A line."""
        self.number += 1
        if event == "opened":
            members["previous"] = self.hash
            self.name = f"nat-{self.number:012d}.jsonl"
        body = json.dumps({"number": self.number, "time": time(seconds), "event": event} | members,
                          separators=(",", ":"))[:-1]
        self.hash = hashlib.sha256((self.hash + body).encode()).hexdigest()
        self.lines.append(f'{body},"hash":"{self.hash}"}}\n')
        return self

    def source(self, seconds, event, tenant, public, **members):
        """A line about a VRF's own address."""
        return self.add(seconds, event, **members, tenant=tenant, vrf=2, kind="source", public=public)

    def write(self, compress=False):
        """Ends the segment."""
        text = "".join(self.lines).encode()
        path = self.directory / (self.name + ".gz" * compress)
        path.write_bytes(gzip.compress(text) if compress else text)
        self.lines = []
        return path


class Journal(unittest.TestCase):
    """A test with a journal of its own."""

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = pathlib.Path(made.name)
        self.writer = Writer(self.directory)

    def owners(self, address, port=None, protocol=None, at=0, tolerance=EXACTLY, directory=None):
        return nat_journal.owners(directory or self.directory, ipaddress.IPv4Address(address), port, protocol,
                                  START + datetime.timedelta(seconds=at), tolerance)

    def three_segments(self):
        """Red has .1 from 10 s to 30 s, blue from 40 s on; segments begin at 0, 20 and 35 s."""
        self.writer.add(0, "opened").source(10, "assigned", "red", "203.0.113.1/32").write(compress=True)
        self.writer.add(20, "opened").source(20, "held", "red", "203.0.113.1/32", since=time(10))
        self.writer.source(30, "released", "red", "203.0.113.1/32").write(compress=True)
        self.writer.add(35, "opened").source(40, "assigned", "blue", "203.0.113.1/32")
        return self.writer.write()


class JournalTest(Journal):
    def test_one_after_the_other(self):
        self.three_segments()
        for at, tenants in ((0, []), (10, ["red"]), (19, ["red"]), (25, ["red"]), (31, []), (36, []), (40, ["blue"]),
                            (10 ** 6, ["blue"])):
            with self.subTest(at=at):
                self.assertEqual([owner.tenant for owner in self.owners("203.0.113.1", at=at)], tenants)
                self.assertEqual(self.owners("203.0.113.2", at=at), [])
        self.assertEqual(self.owners("203.0.113.1", at=25), [
            nat_journal.Owner("red", 2, "source", None, None, time(10), time(30))])

    def test_tolerance(self):
        self.three_segments()
        found = self.owners("203.0.113.1", at=33, tolerance=datetime.timedelta(seconds=20))
        self.assertEqual([(owner.tenant, owner.until) for owner in found], [("red", time(30)), ("blue", None)])

    def test_before_the_journal(self):
        self.three_segments()
        with self.assertRaisesRegex(PenstockError, "begins at 2026-11-21T10:00:00"):
            self.owners("203.0.113.1", at=-1)
        self.assertEqual(self.owners("203.0.113.1", at=-1, tolerance=datetime.timedelta(seconds=2)), [])

    def test_no_journal(self):
        with self.assertRaisesRegex(PenstockError, "no journal in .*--directory"):
            self.owners("203.0.113.1")

    def test_line_that_is_being_written(self):
        path = self.three_segments()
        path.write_bytes(path.read_bytes() + b'{"number":7,"public":"203.0.113.1/32"')
        self.assertEqual([owner.tenant for owner in self.owners("203.0.113.1", at=50)], ["blue"])
        self.assertEqual(nat_journal.verify(self.directory)["entries"], 7)

    def test_sample_of_the_controller(self):
        for address, port, protocol, wanted in (
                ("203.0.113.1", 80, "tcp", [("port-forward", "10.0.0.20", 8080), ("source", None, None)]),
                ("203.0.113.1", 80, "udp", [("source", None, None)]),
                ("203.0.113.1", 81, None, [("source", None, None)]),
                ("198.51.100.9", 7, "udp", [("one-to-one", "10.0.0.9", 7)]),
                ("198.51.100.12", None, None, []),
                ("198.51.100.1", None, None, [("deterministic", "10.1.0.0/24", None)]),
                ("198.51.100.1", 32767, None, []),
                ("198.51.100.1", 32768, None, [("deterministic", "10.1.0.64", None)]),
                ("198.51.100.0", 33279, None, [("deterministic", "10.1.0.0", None)]),
                ("198.51.100.3", 65535, None, [("deterministic", "10.1.0.255", None)])):
            with self.subTest(address=address, port=port, protocol=protocol):
                found = self.owners(address, port, protocol, at=5, directory=SAMPLE)
                self.assertEqual([(owner.kind, owner.inside, owner.inside_port) for owner in found], wanted)
        self.assertEqual(nat_journal.verify(SAMPLE), {"segments": 1, "entries": 6, "first": time(0), "last": time(60)})

    def test_block(self):
        self.writer.add(0, "opened")
        for seconds, event, inside, port in ((0, "assigned", 8, 1024), (0, "assigned", 9, 1536),
                                             (10, "released", 8, 1024), (20, "assigned", 7, 1024)):
            self.writer.add(seconds, event, **{"tenant": "red", "vrf": 2, "kind": "port-block", "block-size": 512,
                                               "public": "203.0.113.1/32", "inside": f"10.0.0.{inside}/32",
                                               "first-port": port})
        self.writer.write()
        for at, port, inside in ((0, 1024, "10.0.0.8"), (5, 1535, "10.0.0.8"), (5, 1536, "10.0.0.9"),
                                 (30, 1100, "10.0.0.7"), (5, 1023, None), (15, 1024, None), (5, 2048, None)):
            with self.subTest(at=at, port=port):
                self.assertEqual([owner.inside for owner in self.owners("203.0.113.1", port, at=at)],
                                 [inside] if inside else [])

    def test_verify(self):
        last = self.three_segments()
        self.assertEqual(nat_journal.verify(self.directory),
                         {"segments": 3, "entries": 7, "first": time(0), "last": time(40)})
        text = last.read_text()
        for what, changed, error in (
                ("word", text.replace("blue", "blau"), "line 2: its hash does not follow"),
                ("line gone", text.partition("\n")[2], "line 1: its hash does not follow"),
                ("no entry", text + "who\n", "line 3 is not an entry")):
            with self.subTest(what):
                last.write_text(changed)
                with self.assertRaisesRegex(PenstockError, error):
                    nat_journal.verify(self.directory)
        last.write_text(text)
        (self.directory / "nat-000000000003.jsonl.gz").unlink()
        with self.assertRaisesRegex(PenstockError, "does not follow"):
            nat_journal.verify(self.directory)

    def test_oldest_may_be_gone(self):
        self.three_segments()
        (self.directory / "nat-000000000001.jsonl.gz").unlink()
        self.assertEqual(nat_journal.verify(self.directory)["segments"], 2)
        self.assertEqual([owner.since for owner in self.owners("203.0.113.1", at=25)], [time(10)])

    def test_damaged_file(self):
        self.three_segments()
        path = self.directory / "nat-000000000003.jsonl.gz"
        path.write_bytes(path.read_bytes()[:-12])
        with self.assertRaisesRegex(PenstockError, f"cannot read {path}"):
            self.owners("203.0.113.1", at=25)


class CommandTest(Journal):
    def run_command(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = cli.main([*arguments, "--directory", str(self.directory)])
        return code, output.getvalue() + errors.getvalue()

    def test_words(self):
        self.three_segments()
        self.assertEqual(self.run_command("nat-owner", "203.0.113.1", "--at", time(25)), (
            0, f"tenant red (VRF 2), some host, by source, from {time(10)} to {time(30)}\n"))
        self.assertEqual(self.run_command("nat-owner", "203.0.113.9", "--at", time(25)), (
            0, "no tenant had 203.0.113.9 at 2026-11-21T10:00:25+00:00\n"))
        self.assertEqual(self.run_command("nat-verify"), (
            0, f"whole: 7 entries in 3 segments, {time(0)} to {time(40)}\n"))

    def test_json(self):
        self.three_segments()
        code, text = self.run_command("nat-owner", "203.0.113.1", "4711", "--json")
        self.assertEqual((code, json.loads(text)["owners"][0]["tenant"]), (0, "blue"))
        self.assertEqual(json.loads(self.run_command("nat-verify", "--json")[1])["entries"], 7)

    def test_wrong_words(self):
        for arguments, error in ((["203.0.113"], "ADDRESS"), (["203.0.113.1", "65536"], "is not in 1..65535"),
                                 (["203.0.113.1", "--at", "2026-11-21T18:00:00"], "with a time zone"),
                                 (["203.0.113.1", "--tolerance", "long"], "is not a number of seconds")):
            with self.subTest(arguments), self.assertRaises(SystemExit) as raised, \
                    contextlib.redirect_stderr(io.StringIO()) as errors:
                cli.main(["nat-owner", *arguments])
            self.assertEqual(raised.exception.code, 2)
            self.assertIn(error, errors.getvalue())

    def test_the_member_with_the_most_lines_is_asked(self):
        self.three_segments()
        state = self.directory / "state"
        for name, count in (("controller", 1), ("controller-2", 3), ("controller-3", 0)):
            journal = state / name / "nat-journal"
            journal.mkdir(parents=True)
            for path in sorted(self.directory.glob("nat-*"))[:count]:
                shutil.copy(path, journal)
        output = io.StringIO()
        with unittest.mock.patch.dict(os.environ, {"PENSTOCK_STATE_DIR": str(state)}), \
                contextlib.redirect_stdout(output):
            self.assertEqual(cli.main(["nat-verify", "--json"]), 0)
        self.assertEqual(json.loads(output.getvalue())["segments"], 3)

    def test_nothing_there(self):
        code, text = self.run_command("nat-verify")
        self.assertEqual(code, 1)
        self.assertIn("penstock: there is no journal in", text)


if __name__ == "__main__":
    unittest.main()
