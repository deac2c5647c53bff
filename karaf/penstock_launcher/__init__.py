# SPDX-License-Identifier: Apache-2.0
"""The launcher behind ./penstock: one command for everything, on one machine.

It knows no details of its own about switches, functions and the controller: those are in penstock_node,
penstock_functions and penstock_controller, which are made importable here.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
for _directory in ("karaf", "ovs-config", "service-chains", "it/bench"):
    if str(ROOT / _directory) not in sys.path:
        sys.path.append(str(ROOT / _directory))
