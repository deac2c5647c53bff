# SPDX-License-Identifier: Apache-2.0
"""Records of the connections of a node for a collector: a program of its own, off by default (docs/adr/0086)."""
