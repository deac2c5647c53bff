# SPDX-License-Identifier: Apache-2.0
"""The agent of a real node tells which upstreams of a resolver do not answer, as hosts ask for names."""

import itertools
import socket

import pytest

from names import Upstream, dig, short
from penstock_base.commands import run
from penstock_node import node_protocol
from sandbox import inside

from .agent_case import DEAD, INSIDE, PROVIDER, AgentCase

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node

HOLE, LATER = "10.0.0.54", "10.0.0.55"


class UpstreamsTest(AgentCase):

    def setUp(self):
        self.names = (f"name{number}.example" for number in itertools.count())

    def silent(self, number):
        return self.controller.reports(number).get(node_protocol.DNS_SILENT)

    def until_silent(self, number, server, wanted):
        """Hosts go on asking, as they do."""
        def told():
            dig(self.hosts, server, "+tries=1", "+timeout=4", next(self.names))
            return self.silent(number) == wanted
        self.until(told, f"silent: {wanted}", 540)

    def test_one_of_two(self):
        run("ip", "-n", self.hosts, "address", "add", f"{HOLE}/24", "dev", "svc0")
        # It takes queries and says nothing, as behind a filter.
        hole = inside(self.hosts, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.addCleanup(hole.close)
        hole.bind((HOLE, 53))
        server = self.tenant(31, upstreams=[{"address": INSIDE, "inside": True}, {"address": HOLE, "inside": True}])
        self.until_silent(31, server, HOLE)
        self.tenant(31, upstreams=[{"address": INSIDE, "inside": True}])
        self.until(lambda: self.silent(31) is None, "forgotten with the upstream")

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_one_that_is_not_there_and_comes_back(self):
        server = self.tenant(32, upstreams=[{"address": LATER, "inside": True}])
        self.until_silent(32, server, LATER)
        self.assertEqual(self.controller.state(32), "ok", "the resolver itself works")
        self.assertEqual(short(self.hosts, server, "www.corp.example"), ["10.0.0.32"])
        run("ip", "-n", self.hosts, "address", "add", f"{LATER}/24", "dev", "svc0")
        back = Upstream(self.hosts, LATER, "198.51.100.7")
        self.addCleanup(back.close)
        self.until_silent(32, server, None)

    def test_those_of_the_provider(self):
        server = self.tenant(33, upstreams=[DEAD])
        self.until_silent(33, server, DEAD)
        self.tenant(33, upstreams=[PROVIDER])
        self.until_silent(33, server, None)
