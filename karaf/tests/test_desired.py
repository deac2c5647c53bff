# SPDX-License-Identifier: Apache-2.0
"""Entries in a desired state: the requests that are sent, and those that are not."""

import unittest

from penstock_base.restconf import Restconf
from penstock_client import Client, Refused, absent, present
from penstock_client.errors import WrongUsage

from .restconf_server import refused, served

_WEST = {"name": "west", "prefix": ["198.18.0.0/30", "198.18.0.4/30"]}
_FOUND = (200, {"penstock:pool": [_WEST]})
_NONE = (409, refused("none", tag="data-missing"))
_DONE = (200, {})


class DesiredTest(unittest.TestCase):
    def asked(self, *answers):
        """A client of a server that answers so, and the server."""
        server = served(self, *answers)
        return Client([Restconf(server.url, "erika", "secret", 10)]), server

    @staticmethod
    def edits(server):
        """The operations of all edits that were sent, by request."""
        return [[each["operation"] for each in body["ietf-yang-patch:yang-patch"]["edit"]]
                for _, _, body, _ in server.requests if body]

    def test_nothing_is_sent_if_nothing_differs(self):
        prefixes = _WEST["prefix"]
        for desired in (_WEST, {"prefix": prefixes[::-1], "name": "west"},
                        {"penstock:prefix": prefixes, "name": "west"}):
            client, server = self.asked(_FOUND)
            outcome = present(client, "pool", desired)
            self.assertEqual((False, _WEST, _WEST), (outcome.changed, outcome.before, outcome.after))
            self.assertEqual([], self.edits(server))

    def test_the_whole_entry_is_replaced(self):
        desired = {"name": "west", "prefix": ["198.18.0.0/30"]}
        for found, before in ((_FOUND, _WEST), (_NONE, None)):
            client, server = self.asked(found, _DONE, (200, {"penstock:pool": [desired]}))
            outcome = present(client, "pool", desired)
            self.assertEqual((True, before, desired), (outcome.changed, outcome.before, outcome.after))
            self.assertEqual([["replace"]], self.edits(server))
        self.assertEqual(["name=west", "prefix=198.18.0.0/30"], outcome.lines(outcome.after))
        self.assertEqual([], outcome.lines(None))

    def test_a_check_stores_nothing_and_is_judged(self):
        desired = {"name": "west", "prefix": ["198.18.0.0/29"]}
        told = {"errors": {"error": [{"error-message": "pool west: prefix overlaps", "error-tag": "invalid-value"},
                                     {"error-message": "tenant NAME: no list", "error-tag": "invalid-value"}]}}
        for act in (lambda client: present(client, "pool", desired, check=True),
                    lambda client: absent(client, "pool", "west", check=True)):
            client, server = self.asked(_FOUND, (400, told))
            with self.assertRaisesRegex(Refused, "overlaps"):
                act(client)
            # The last edit is one that is always refused.
            self.assertEqual("create", self.edits(server)[0][-1])

    def test_absent_entries_stay_absent(self):
        client, server = self.asked(_NONE)
        self.assertEqual((False, None), (absent(client, "pool", "west").changed, absent(client, "pool", "west").before))
        self.assertEqual([], self.edits(server))
        client, server = self.asked(_FOUND, _DONE)
        outcome = absent(client, "pool", "west")
        self.assertEqual((True, _WEST, None), (outcome.changed, outcome.before, outcome.after))
        self.assertEqual([["delete"]], self.edits(server))

    def test_a_refusal_is_told(self):
        client, _ = self.asked(_FOUND, (400, refused("pool west is used by the tenant red")))
        with self.assertRaisesRegex(Refused, "is used by"):
            absent(client, "pool", "west")

    def test_a_change_beside_another_client_is_judged_again(self):
        busy = (409, refused("another client", tag="in-use"))
        client, server = self.asked(_FOUND, busy, _NONE)
        self.assertFalse(absent(client, "pool", "west").changed)
        self.assertEqual([["delete"]], self.edits(server))
        client, server = self.asked(*(_FOUND, busy) * 5)
        with self.assertRaisesRegex(Refused, "another client"):
            absent(client, "pool", "west")
        self.assertEqual([["delete"]] * 5, self.edits(server))

    def test_an_entry_has_a_name(self):
        client, server = self.asked(_FOUND)
        for entry, told in (({}, "needs a name"), ({"name": ""}, "needs a name"), ({"name": 7}, "needs a name"),
                            ({"name": "\ud800"}, "half a letter")):
            with self.assertRaisesRegex(WrongUsage, told):
                present(client, "pool", entry)
            with self.assertRaisesRegex(WrongUsage, told):
                absent(client, "pool", entry.get("name", ""))
        self.assertEqual([], server.requests)


if __name__ == "__main__":
    unittest.main()
