# SPDX-License-Identifier: Apache-2.0
"""Brings up and takes down one Open vSwitch with DPDK (a "node") in a network namespace of its own.

`node` has the operations (up, down, status); the other modules are the parts it is made of and may be used alone.
Nothing here creates a bridge: the controller does, over OVSDB.
"""
