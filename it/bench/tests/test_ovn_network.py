# SPDX-License-Identifier: Apache-2.0
"""What OVN's logical network is made of, without OVN: test_ovn.py has it at work."""

import unittest

from penstock_base.errors import PenstockError
from penstock_bench import ovn_network, traffic


class NumbersTest(unittest.TestCase):
    """What follows from a tenant's number."""

    def test_knows_a_router_by_the_number_of_its_tenant(self):
        self.assertEqual([ovn_network.router_kind(tenant) for tenant in (0, 1999, 2000, 3000)],
                         ["distributed", "distributed", "gateway", "gateway"])

    def test_makes_a_load_for_each_kind_of_router(self):
        base = traffic.Load(3, 6, "imix", same_ports=True)
        distributed, gateway = (ovn_network.load(base, router) for router in ovn_network.ROUTERS)
        self.assertEqual((list(distributed.numbers), list(gateway.numbers)), ([0, 1, 2], [2000, 2001, 2002]))
        for made in (distributed, gateway):
            self.assertEqual((made.tenants, made.flows, made.frame, made.same_ports), (3, 6, "imix", True))
            self.assertEqual([made.gateway_mac(tenant) for tenant in made.numbers],
                             [ovn_network.router_mac(tenant) for tenant in made.numbers])
        # The zones in which gateway routers track may be those of Penstock's tenants.
        self.assertEqual(distributed.server, base.server)
        self.assertNotEqual(gateway.server, base.server)

    def test_spare_places_are_no_tenants(self):
        spare = {ovn_network.spare_place(tenant) for tenant in range(4000)}
        self.assertFalse({vlan for vlan, _ in spare} & {traffic.place(tenant)[1] for tenant in range(4000)})
        self.assertLess(max(vlan for vlan, _ in spare), 4095)
        self.assertFalse({public for _, public in spare} & {traffic.public_address(tenant) for tenant in range(4000)})

    def test_refuses_an_unknown_router(self):
        for call in (ovn_network.Network(True, (), "up").provision,
                     lambda tenants, router: ovn_network.load(traffic.Load(tenants), router)):
            with self.assertRaisesRegex(PenstockError, "router: 'edge' is not valid; wanted: distributed, gateway"):
                call(1, "edge")

    def test_gives_every_router_a_mac_of_its_own(self):
        macs = {ovn_network.router_mac(tenant) for tenant in range(5000)}
        self.assertEqual(len(macs), 5000)
        self.assertFalse(macs & {traffic.host_mac(tenant) for tenant in range(5000)})


if __name__ == "__main__":
    unittest.main()
