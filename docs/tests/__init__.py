# SPDX-License-Identifier: Apache-2.0
"""Tests of the documentation: what can be checked without a running network, and the checks themselves."""
