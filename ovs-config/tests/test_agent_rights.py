# SPDX-License-Identifier: Apache-2.0
"""What the agent of a node and its resolvers may do. Needs root, Open vSwitch with DPDK, Unbound and dig."""

import os
import pathlib
import unittest

import pytest

from intruder import attempt
from penstock_node import user_ids
from sandbox import hears_nothing, udp

from .agent_case import AgentCase

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.safety]


class RightsTest(AgentCase):

    def test_resolvers_are_nobody(self):
        self.tenant(21)
        status = pathlib.Path(f"/proc/{self.resolver(21)}/status").read_text()
        self.assertRegex(status, r"CapEff:\t0+40000\n", "sys_chroot")
        self.assertRegex(status, r"Seccomp:\t2\n")
        self.assertRegex(status, rf"Uid:\t{user_ids.resolver(21)}\t")
        self.assertEqual(os.readlink(f"/proc/{self.resolver(21)}/root"), str(self.directory / "dns/21/root"))

    def test_a_resolver_is_apart_from_others(self):
        """What a program in the place of the resolver, that has left its root directory, does to another tenant."""
        server = self.tenant(24)
        self.tenant(25)
        intruder, victim = self.resolver(25), self.resolver(24)
        other = self.directory / "dns" / "24"
        for action in (f"os.listdir('{other}')", f"read('{other}/unbound.conf')",
                       f"read('{other}/root/corp.example.zone')", f"connect('{other}/run/control')",
                       f"connect('{self.directory}/db.sock')", f"os.kill({victim}, 9)",
                       "write('/etc/cron.d/penstock-test')", "read('/etc/passwd')"):
            with self.subTest(action=action):
                self.assertRegex(attempt(intruder, action), "^(FileNotFound|Permission|OS)Error$")
        answer = ("link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                  "link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); link.bind(({!r}, 5300)); "
                  "link.sendto(b'answer', ('10.0.0.10', 5301))")
        with udp(self.hosts, "10.0.0.10", 5301) as host:
            self.assertRegex(attempt(intruder, answer.format(server)), "^PermissionError$")
            self.assertTrue(hears_nothing(host))
            self.assertEqual(attempt(intruder, answer.format("240.0.25.0")), "done")
            self.assertEqual(host.recv(100), b"answer", "from its own address")
        self.until_answer(server, "www.corp.example", "10.0.0.24")

    def test_the_agent_sees_its_node_alone(self):
        agent = self.agent()
        for action in ("read('/etc/shadow')", "write('/etc/cron.d/penstock-test')", "write('/usr/bin/penstock-test')",
                       "write('/proc/sys/kernel/core_pattern')", "os.listdir('/var/lib')",
                       "os.listdir('/proc/1/root/etc')", f"write('{self.directory}/state.json')",
                       f"read('{self.box.run_directory}/a.yaml')"):
            with self.subTest(action=action):
                self.assertRegex(attempt(agent, action), "^(FileNotFound|Permission|OS)Error$")

if __name__ == "__main__":
    unittest.main()
