# SPDX-License-Identifier: Apache-2.0
"""Tests of the documentation: what can be checked without a running network, and the checks themselves."""

import pathlib
import sys

# For the check of profiles.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ovs-config"))
