// SPDX-License-Identifier: Apache-2.0
/**
 * Plans on real switches. {@code *TraceIT} asks a switch what it would do (no packets, seconds); {@code *PacketsIT}
 * sends packets between hosts through a switch with DPDK (needs root).
 */
package io.penstock.it;
