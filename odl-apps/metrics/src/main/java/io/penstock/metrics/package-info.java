// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics in the formats of Prometheus. Each scrape reads what the controller knows already: it asks no node and writes
 * nothing. Names, units and labels are listed in docs/metrics.md.
 */
package io.penstock.metrics;
