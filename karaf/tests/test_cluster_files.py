# SPDX-License-Identifier: Apache-2.0
"""The files that make a cluster of controllers, and the settings of its members."""

import unittest

from penstock_base import places
from penstock_controller import cluster
from penstock_controller.settings import Member, Settings
from penstock_launcher import members

_DATASTORE = "etc/org.opendaylight.controller.cluster.datastore.cfg"
_AKKA, _SHARDS = "configuration/initial/akka.conf", "configuration/initial/module-shards.conf"


class FilesTest(unittest.TestCase):
    def test_a_controller_alone_joins_itself_and_has_the_usual_times(self):
        files = cluster.files(Settings())
        self.assertIn('seed-nodes = ["akka://opendaylight-cluster-data@127.0.0.1:2550"]', files[_AKKA])
        self.assertNotIn("failure-detector", files[_AKKA])
        self.assertNotIn("heartbeat", files[_DATASTORE])
        self.assertIn("use-tell-based-protocol = true", files[_DATASTORE])
        self.assertEqual(files[_SHARDS].count('replicas = ["member-1"]'), 3)

    def test_a_journal_that_opens_slowly_ends_no_shard(self):
        text = cluster.files(Settings())[_AKKA]
        for journal in ("journal.segmented-file", "non-persistent.journal"):
            self.assertRegex(text, rf"{journal} {{\n +circuit-breaker.call-timeout = 300 s\n"
                             r" +recovery-event-timeout = 300 s\n")

    def test_three_segments_of_the_journal_are_less_than_what_is_kept_free(self):
        self.assertIn("        max-segment-size = 20 M\n", cluster.files(Settings())[_AKKA])
        disk = (places.ROOT / "odl-apps/base/src/main/java/io/penstock/base/disk/DiskSpace.java").read_text("utf-8")
        self.assertIn("64L << 20", disk)

    def test_members_are_joined_by_what_they_have_and_not_by_a_list(self):
        files = cluster.files(members.settings(2, 3))
        self.assertIn("seed-nodes = []", files[_AKKA])
        self.assertIn('canonical.hostname = "127.0.0.2"', files[_AKKA])
        self.assertIn('roles = ["member-2"]', files[_AKKA])
        self.assertIn('name = "default", replicas = ["member-1", "member-2", "member-3"]', files[_SHARDS])
        self.assertIn('name = "inventory", replicas = ["member-2"]', files[_SHARDS])

    def test_no_two_members_stand_for_election_at_the_same_time(self):
        self.assertEqual([cluster.election_heartbeats(members.settings(number, 3)) for number in (1, 2, 3)], [5, 7, 9])


class SettingsTest(unittest.TestCase):
    def test_members_of_one_machine_have_addresses_of_their_own(self):
        self.assertEqual(members.settings(1, 1), Settings(listen_address="169.254.77.1"))
        third = members.settings(3, 3)
        self.assertEqual((third.listen_address, third.northbound_address, third.console_address, third.member),
                         ("169.254.77.3", "127.0.0.3", "127.0.0.3", "member-3"))

    def test_wrong_members_are_refused(self):
        one, two = Member("member-1", "127.0.0.1"), Member("member-2", "127.0.0.2")
        for wrong, said in (((one, two), "two are less safe than one"), ((two,), "is not among member-2"),
                            ((one, Member("member-2", "127.0.0.1"), Member("member-3", "127.0.0.3")),
                             "127.0.0.1 stands there more than once")):
            with self.subTest(said), self.assertRaisesRegex(ValueError, said):
                Settings(members=wrong)
        for name, address in (("member-0", "127.0.0.1"), ("red", "127.0.0.1"), ("member-1", "controller1")):
            with self.subTest(name), self.assertRaises(ValueError):
                Member(name, address)

    def test_members_are_read_from_the_command_line_as_they_are_written(self):
        given = members.settings(1, 3).members
        self.assertEqual(Member.parse_all(",".join(map(str, given))), given)


if __name__ == "__main__":
    unittest.main()
