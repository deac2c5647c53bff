# SPDX-License-Identifier: Apache-2.0
"""Tests of the documentation: what can be checked without a running network, and the checks themselves."""

import pathlib
import sys

_ROOT = pathlib.Path(__file__).resolve().parents[2]
# For the check of profiles, and of the plans that figures belong to.
sys.path[:0] = [str(_ROOT / "ovs-config"), str(_ROOT / "it" / "bench")]
