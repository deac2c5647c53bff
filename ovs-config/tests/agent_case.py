# SPDX-License-Identifier: Apache-2.0
"""A real node with its agent, and name servers around it, for tests."""

import unittest

from names import Controller, Upstream, short
from penstock_base import processes
from penstock_base.commands import run
from penstock_node import node_protocol, resolver_network
from sandbox import Sandbox

PROVIDER, INSIDE, DEAD = "192.0.2.53", "10.0.0.53", "192.0.2.99"


class AgentCase(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        provider = cls.box.host("provider", f"{PROVIDER}/24", "psup")
        cls.name, cls.profile = cls.box.node("a", dns={"device": "psup", "upstream-address": "192.0.2.10/24",
                                                       "upstream-gateway": PROVIDER})
        cls.box.ovs_config("up", cls.profile)
        cls.directory = cls.box.run_directory / cls.name
        cls.hosts = f"ps-{cls.name}"
        cls.controller = Controller(cls.directory)
        run("ip", "-n", cls.hosts, "link", "set", "svc0", "address", resolver_network.SWITCH_MAC)
        for address in ("10.0.0.10/24", f"{INSIDE}/24"):
            run("ip", "-n", cls.hosts, "address", "add", address, "dev", "svc0")
        run("ip", "-n", cls.hosts, "route", "add", node_protocol.SERVICE_IPV4, "dev", "svc0")
        cls.provider = Upstream(provider, PROVIDER, "198.51.100.1")
        cls.addClassCleanup(cls.provider.close)
        cls.inside = Upstream(cls.hosts, INSIDE, "198.51.100.2")
        cls.addClassCleanup(cls.inside.close)

    def tenant(self, number, wait=True, **changes):
        """Orders names for a tenant and waits until the agent is content. Returns the service address."""
        server = f"240.{number >> 8}.{number & 255}.0"
        run("ip", "-n", self.hosts, "neighbour", "replace", server, "lladdr", resolver_network.RESOLVER_MAC,
            "dev", "svc0")
        order = {"domain": "corp.example", "addresses": [server], "upstreams": [PROVIDER],
                 "records": [{"name": "www", "type": "A", "ttl": 300, "data": f"10.0.0.{number}"}], "leases": [],
                 "reverse": ["10.0.0.0/24"]} | changes
        self.controller.order(number, penstock_dns={key: value for key, value in order.items() if value is not None})
        if wait:
            self.until_state(number, "ok")
        return server

    def until_state(self, number, text):
        said = []

        def fits():
            said[:] = [self.controller.state(number)]
            return text == said[0] or (text != "ok" and text in (said[0] or ""))
        try:
            processes.wait_until(fits, text, 120)
        except Exception as error:
            raise AssertionError(f"tenant {number}: {said} instead of {text!r}\n"
                                 + (self.directory / "agent.log").read_text()) from error

    def until_answer(self, server, name, address):
        self.until(lambda: short(self.hosts, server, "+timeout=5", name) == [address], f"{address} for {name}")

    def until(self, condition, what, seconds=120):
        processes.wait_until(condition, what, seconds)

    def resolver(self, number):
        return processes.pid_of(self.directory / "dns" / str(number) / "process")

    def agent(self):
        """Pid of the agent, None if it does not run."""
        return self.box.status(self.name)["agent"]["pid"]
