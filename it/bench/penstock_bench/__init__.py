# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of Penstock: throughput, latency and control plane, beside bare forwarding and OVN on the same switch."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
for _directory in ("karaf", "ovs-config", "service-chains"):
    if str(ROOT / _directory) not in sys.path:
        sys.path.append(str(ROOT / _directory))
