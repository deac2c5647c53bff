# SPDX-License-Identifier: Apache-2.0
"""The address that nodes share on the controller's side, in a namespace of its own. Needs root."""

import json
import unittest

from penstock_node import locks, management, namespaces
from sandbox import Sandbox, inside


class AddressTest(unittest.TestCase):

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def acquire(self, user):
        inside(self.box.controller, lambda: management.acquire_address(user))

    def release(self, user):
        inside(self.box.controller, lambda: management.release_address(user))

    def addresses(self):
        return namespaces.addresses("lo", self.box.controller)

    def test_the_last_one_takes_it_away(self):
        self.acquire("one")
        self.acquire("two")
        self.release("one")
        self.assertEqual(self.addresses(), ["127.0.0.1", management.CONTROLLER_ADDRESS])
        self.release("two")
        self.assertEqual(self.addresses(), ["127.0.0.1"])

    def test_nobody_of_another_namespace_that_had_the_number_counts(self):
        number = inside(self.box.controller, namespaces.current_id)
        ledger = locks.lock_directory() / f"management-{number}-{management.CONTROLLER_ADDRESS}.json"
        ledger.parent.mkdir(parents=True, exist_ok=True)
        ledger.write_text(json.dumps({"added": True, "users": ["node of a crash"]}), encoding="ascii")
        self.acquire("one")
        self.release("one")
        self.assertEqual(self.addresses(), ["127.0.0.1"])
        self.assertFalse(ledger.exists())
