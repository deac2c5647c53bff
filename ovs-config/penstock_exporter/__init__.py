# SPDX-License-Identifier: Apache-2.0
"""The metrics of a node for Prometheus (docs/adr/0082)."""
