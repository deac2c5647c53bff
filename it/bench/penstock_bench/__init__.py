# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of Penstock: throughput, latency and control plane, beside bare forwarding and OVN on the same switch."""
