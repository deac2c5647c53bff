# SPDX-License-Identifier: Apache-2.0
"""Tests of ovs-config. test_node.py runs real switches and needs root; the others need neither."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
