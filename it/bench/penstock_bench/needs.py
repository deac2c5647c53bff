# SPDX-License-Identifier: Apache-2.0
"""The Debian packages that the benchmark needs. As a program it prints them, for ./penstock test."""

from penstock_base import packages

from . import cores_bed, dummy_nodes, generator, names, ovn, services_bed, switch

PACKAGES = tuple(dict.fromkeys((*packages.RUN, *generator.PACKAGES, *switch.PACKAGES, *ovn.PACKAGES,
                                *services_bed.PACKAGES, *names.PACKAGES, *cores_bed.PACKAGES, *dummy_nodes.PACKAGES,
                                "python3-matplotlib")))

if __name__ == "__main__":
    print("\n".join(PACKAGES))
