# SPDX-License-Identifier: Apache-2.0
"""Tests of the controller's start and of the launcher."""

import pathlib
import sys

_OVS_CONFIG = pathlib.Path(__file__).resolve().parents[2] / "ovs-config"
sys.path[:0] = [str(_OVS_CONFIG), str(_OVS_CONFIG / "tests")]
