# SPDX-License-Identifier: Apache-2.0
"""Figures others have published, to set ours beside. None of them was measured by us."""

CARRIER_NAT = "NFWare vCGNAT, tested by EANTC on 84 virtual cores with PCI passthrough and 99.6 million flows"
CARRIER_NAT_CORES = 84
CARRIER_NAT_GBPS = {"84": 0.86, "260": 2.37, "imix-eantc": 2.53, "1520": 2.75}
"""Gbit/s at layer 1 of one of its cores, by frame size; the mix is EANTC's own."""
CARRIER_NAT_SETUP = 83_000
"""New sessions a second of one of its cores."""
CARRIER_NAT_SESSION_BYTES = 1750

EDGE_ROUTER = "StoneWork multi-service edge router (PANTHEON.tech, on VPP)"
EDGE_ROUTER_TENANTS = (10, 100, 300, 1000)
EDGE_ROUTER_GBPS = {
    "one-way": {1: (27, 26, 22, 17), 2: (42, 40, 39, 33), 4: (66, 66, 70, 67), 8: (89, 83, 100, 98),
                10: (100, 100, 100, 98)},
    "both-ways": {1: (28, 26, 22, 11), 2: (38, 40, 37, 28), 4: (66, 68, 68, 60), 8: (98, 95, 92, 87),
                  10: (98, 96, 92, 85)},
}
"""Gbit/s at layer 1 by direction and data-plane workers, at EDGE_ROUTER_TENANTS tenants. No row goes beyond
100: with many workers its port may have been the limit, so only the first rows tell of the data plane."""
