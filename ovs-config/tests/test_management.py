# SPDX-License-Identifier: Apache-2.0
"""The address that nodes share on the controller's side, in a namespace of its own. Needs root."""

import json
import os
import socket
import unittest

from penstock_base import locks, namespaces
from penstock_base.commands import run, succeeds
from penstock_node import management
from sandbox import Sandbox, inside


class AddressTest(unittest.TestCase):

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        self.node = f"t{os.getpid()}m"

    def acquire(self, user):
        self.addCleanup(self.release, user)
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

    def connect(self, *who, seconds=60):
        """Whether a program in the controller's namespace, run by `who`, gets a connection to the address."""
        code = f"import socket; socket.create_connection(('{management.CONTROLLER_ADDRESS}', 6640), {seconds})"
        return succeeds("ip", "netns", "exec", self.box.controller, *who, "/usr/bin/python3", "-c", code)

    def reaches(self, namespace, source, seconds=60):
        code = (f"import socket; socket.create_connection(('{management.CONTROLLER_ADDRESS}', 6640), {seconds}, "
                f"('{source}', 0))")
        return succeeds("ip", "netns", "exec", namespace, "/usr/bin/python3", "-c", code)

    def listen(self):
        """Listens at the address, as the controller does."""
        def start():
            server = socket.create_server((management.CONTROLLER_ADDRESS, 6640), backlog=16)
            self.addCleanup(server.close)
        inside(self.box.controller, start)

    def test_other_users_of_the_machine_are_refused(self):
        nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
        self.acquire("one")
        self.listen()
        self.assertTrue(self.connect())
        self.assertFalse(self.connect(*nobody, seconds=2))
        # Twice is as good as once; the last one to leave takes the rules away.
        self.acquire("two")
        self.release("one")
        self.assertFalse(self.connect(*nobody, seconds=2))
        self.release("two")
        self.assertEqual(run("ip", "netns", "exec", self.box.controller, "nft", "list", "tables"), "")

    def keep_closed(self):
        return inside(self.box.controller, lambda: management.keep_closed(management.CONTROLLER_ADDRESS))

    def test_without_users_there_is_nothing_to_close(self):
        self.assertFalse(self.keep_closed())
        # A namespace has the number of one that was removed, and the ledger of that one is still there.
        self.acquire("one")
        inside(self.box.controller, lambda: namespaces.remove_address(management.CONTROLLER_ADDRESS, "lo"))
        self.flush()
        self.assertFalse(self.keep_closed())

    def flush(self):
        run("ip", "netns", "exec", self.box.controller, "nft", "flush", "ruleset")

    def test_rules_that_another_program_removed_are_there_again(self):
        self.acquire("one")
        self.listen()
        self.assertFalse(self.keep_closed())
        self.flush()
        self.assertTrue(self.keep_closed())
        self.assertFalse(self.connect("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", seconds=2))

    def test_networks_of_the_machine_do_not_reach_the_address(self):
        neighbour = self.box.namespace(f"psh-{os.getpid()}-lan")
        node = self.box.namespace(f"ps-t{os.getpid()}m")
        namespaces.add_veth("lan0", self.box.controller, "eth0", neighbour)
        run("ip", "-n", self.box.controller, "address", "add", "192.0.2.1/24", "dev", "lan0")
        run("ip", "-n", neighbour, "address", "add", "192.0.2.2/24", "dev", "eth0")
        run("ip", "-n", neighbour, "route", "add", management.CONTROLLER_ADDRESS, "via", "192.0.2.1")
        self.acquire("one")
        self.listen()
        own = inside(self.box.controller, lambda: management.connect(
            self.node, node, management.CONTROLLER_ADDRESS))
        self.assertTrue(self.reaches(node, own))
        self.assertFalse(self.reaches(neighbour, "192.0.2.2", seconds=2))
        # A node in the name of another one.
        run("ip", "-n", node, "address", "add", "169.254.77.249/32", "dev", management.NODE_LINK)
        run("ip", "-n", self.box.controller, "route", "add", "169.254.77.249", "dev",
            management.controller_link(self.node))
        self.assertFalse(self.reaches(node, "169.254.77.249", seconds=2))
        inside(self.box.controller, lambda: management.acquire_address("two"))
        self.assertTrue(self.reaches(node, own))
        self.assertFalse(self.reaches(neighbour, "192.0.2.2", seconds=2))

    def test_nobody_of_another_namespace_that_had_the_number_counts(self):
        number = inside(self.box.controller, namespaces.current_id)
        ledger = locks.lock_directory() / f"management-{number}-{management.CONTROLLER_ADDRESS}.json"
        ledger.parent.mkdir(parents=True, exist_ok=True)
        ledger.write_text(json.dumps({"added": True, "users": ["node of a crash"]}), encoding="ascii")
        self.acquire("one")
        self.release("one")
        self.assertEqual(self.addresses(), ["127.0.0.1"])
        self.assertFalse(ledger.exists())
