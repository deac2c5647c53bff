# SPDX-License-Identifier: Apache-2.0
"""Tests of the catalogue and the runner."""
