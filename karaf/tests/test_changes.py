# SPDX-License-Identifier: Apache-2.0
"""Changes of the number of controllers, from each state that a killed run may leave; whose data a member has."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock

from penstock_base.errors import PenstockError
from penstock_controller import Controller, ControllerError, Settings, cluster_cli, standing
from penstock_controller.__main__ import main
from penstock_launcher import changes, members


class _StateTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/var/tmp")
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        places = unittest.mock.patch.dict(os.environ, {"PENSTOCK_STATE_DIR": str(self.root)})
        places.start()
        self.addCleanup(places.stop)
        self.every = {number: Controller("/nowhere", self.root / ("controller" + (f"-{number}" if number > 1 else "")))
                      for number in (1, 2, 3)}

    def store(self, number, controllers):
        """A controller that has run as one of some, and has data."""
        run = self.every[number].run_dir
        (run / standing.DATA).mkdir(parents=True)
        (run / "settings.json").write_text(json.dumps(
            members.settings(number, controllers), default=vars), encoding="utf-8")

    def make(self, *numbers):
        for number in numbers:
            changes.make(number, self.every[number], None)

    def found(self):
        return changes.standing_of(self.every)


class ChangesTest(_StateTest):
    def test_a_first_start_decides_nothing(self):
        self.assertEqual(changes.count(self.found()), 1)
        self.make(1, 2, 3)
        self.assertEqual(changes.count(self.found()), 3)
        self.assertFalse(self.found().needs_decision)
        changes.check(self.found())

    def test_one_becomes_three_from_each_state(self):
        self.store(1, 1)
        self.assertEqual(changes.count(self.found()), 1)
        for numbers in ((2,), (2, 3), (2, 3)):
            self.make(*numbers)
            changes.check(self.found())
            self.assertEqual(changes.count(self.found()), 3)
            self.assertTrue(self.found().needs_decision)
        # The first one has been started as a member, and the others have got nothing yet.
        (self.every[1].run_dir / "settings.json").write_text(json.dumps(members.settings(1, 3), default=vars))
        changes.check(self.found())
        self.assertTrue(self.found().needs_decision)
        standing.withdraw(self.every[2].run_dir)
        (self.every[2].run_dir / standing.DATA).mkdir()
        self.assertFalse(self.found().needs_decision)

    def test_lost_directories_are_not_taken_for_a_change(self):
        self.store(1, 3)
        with self.assertRaisesRegex(PenstockError, "only controller 1 has its data.*/controller cluster decide"):
            changes.check(self.found())
        self.make(2)  # It was replaced before the third was lost.
        with self.assertRaisesRegex(PenstockError, "only controller 1"):
            changes.check(self.found())
        standing.decide(self.every[1].run_dir)
        changes.check(self.found())

    def test_a_directory_without_its_data_is_not_taken_for_a_new_one(self):
        self.store(1, 3)
        for number in (2, 3):
            self.every[number].run_dir.mkdir()
        self.assertFalse(self.found().needs_decision)
        with self.assertRaisesRegex(PenstockError, "only controller 1"):
            changes.check(self.found())

    def test_three_become_one_from_each_state(self):
        for number in (1, 2, 3):
            self.store(number, 3)
        self.assertEqual(changes.count(self.found()), 3)
        self.assertFalse(self.found().is_stale)
        changes.decide(self.every[1])
        (self.every[2].run_dir / "audit-log").mkdir()
        for number in (2, 3):
            self.assertTrue(self.found().is_stale)
            self.assertEqual(changes.count(self.found()), 1)
            changes.retire(number, self.every[number], self.every[1])
        changes.check(self.found())
        self.assertEqual(changes.count(self.found()), 1)
        self.assertTrue((self.every[1].run_dir / "retired" / "member-2-none" / "audit-log").is_dir())
        self.assertEqual(changes.leftovers(), [])

    def test_a_member_that_is_replaced_is_one_of_three(self):
        for number in (2, 3):
            self.store(number, 3)
        self.assertEqual(changes.count(self.found()), 3)
        changes.check(self.found())
        self.assertFalse(self.found().needs_decision)


class StandingTest(_StateTest):
    def run_command(self, *words, number=1):
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            code = main(["--run-dir", str(self.every[number].run_dir), "cluster", *words])
        return code, text.getvalue()

    def test_a_decision_gives_the_data_another_identity(self):
        self.store(1, 3)
        (self.every[1].run_dir / standing.IDENTITY).write_text("red\n", encoding="ascii")
        code, text = self.run_command("decide")
        self.assertEqual(code, 0, text)
        self.assertTrue(standing.is_decided(self.every[1].run_dir))
        self.assertNotEqual(standing.identity(self.every[1].run_dir), "red")

    def test_data_that_are_not_all_are_not_decided(self):
        self.store(1, 3)
        standing.make_incomplete(self.every[1].run_dir)
        code, text = self.run_command("decide")
        self.assertEqual(code, 1)
        self.assertIn("does not have all data: decide for another member", text)
        self.assertFalse(standing.is_decided(self.every[1].run_dir))

    def test_a_member_forgets_its_data_and_keeps_its_records(self):
        self.store(2, 3)
        run = self.every[2].run_dir
        (run / "nat-journal").mkdir()
        code, text = self.run_command("forget", number=2)
        self.assertEqual(code, 0, text)
        self.assertFalse(standing.has_data(run))
        self.assertTrue((run / "nat-journal").is_dir())

    def test_a_controller_alone_does_not_forget(self):
        self.store(1, 1)
        code, text = self.run_command("forget")
        self.assertEqual(code, 1)
        self.assertIn("no other controller has its data", text)
        self.assertTrue(standing.has_data(self.every[1].run_dir))

    def test_a_member_does_not_go_on_alone_without_a_decision(self):
        self.store(1, 3)
        with self.assertRaisesRegex(ControllerError, "penstock-controller cluster decide"):
            self.every[1].start(Settings())

    def test_a_status_tells_why_no_member_may_be_stopped(self):
        self.store(1, 3)
        (self.every[1].run_dir / "cluster-state").write_text(
            "joins the cluster\nmember-1 CATCHING_UP - 0.1.0 ab\nmember-2 JOINED red 0.1.0 ab\n", encoding="utf-8")
        step, seen = standing.seen(self.every[1].run_dir)
        self.assertEqual((step, seen["member-1"], seen["member-2"].cluster), (
            "joins the cluster", standing.Seen("member-1", "catching-up", "", "0.1.0", "ab"), "red"))
        code, text = self.run_command("status")
        self.assertEqual(code, 1)
        self.assertIn("stop no member: member-1 is away", text)  # It does not run.
        self.assertIn("member-1 does not run", text)

    def test_a_controller_alone_has_no_members(self):
        self.store(1, 1)
        self.assertEqual(self.run_command("status"), (1, "member-1 is alone: its settings name no members\n"))
        self.assertEqual(cluster_cli.state(self.every[1])["members"], [])


if __name__ == "__main__":
    unittest.main()
