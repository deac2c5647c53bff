# SPDX-License-Identifier: Apache-2.0
"""A Prometheus beside the edge, and the dashboards for the metrics of docs/metrics.md."""
