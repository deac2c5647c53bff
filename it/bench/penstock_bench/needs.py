# SPDX-License-Identifier: Apache-2.0
"""What the benchmark needs: Debian packages, and roots of other Debians.

For ./penstock test it is a program: it prints the packages, or with the argument `peer` fetches the peer.
"""

import sys

from penstock_base import packages

from . import cores_bed, debian_root, dummy_nodes, generator, names, ovn, services_bed, switch, switches

PACKAGES = tuple(dict.fromkeys((*packages.RUN, *generator.PACKAGES, *switch.PACKAGES, *ovn.PACKAGES,
                                *services_bed.PACKAGES, *names.PACKAGES, *cores_bed.PACKAGES, *dummy_nodes.PACKAGES,
                                "python3-matplotlib")))


def roots_of(what: str) -> tuple[debian_root.DebianRoot, ...]:
    """Those that a kind of run needs."""
    return {"edge": (ovn.PEER,), "load": (ovn.PEER,), "switches": (ovn.PEER, *switches.ROOTS)}.get(what, ())


if __name__ == "__main__":
    if sys.argv[1:] == ["peer"]:
        ovn.PEER.ensure()
    else:
        print("\n".join(PACKAGES))
