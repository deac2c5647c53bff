# SPDX-License-Identifier: Apache-2.0
"""Tests of the benchmarks. Those of the generator run a real switch and need root; the others need neither."""
