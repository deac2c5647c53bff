# SPDX-License-Identifier: Apache-2.0
"""The version, for those who ask: no controller needs it to run."""

from penstock_base.version import version

__all__ = ["version"]
