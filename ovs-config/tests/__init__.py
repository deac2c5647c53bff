# SPDX-License-Identifier: Apache-2.0
"""Tests of ovs-config. test_node.py and test_agent.py run real switches and need root; the others do not."""
