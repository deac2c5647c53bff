# SPDX-License-Identifier: Apache-2.0
"""Tests of the controller's start and of the launcher."""
