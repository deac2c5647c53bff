// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/** A flow of a switch with its counters and what it is for; {@code tenant} is empty for flows of the node. */
public record FlowLine(String node, String table, String label, String tenant, boolean drop, long packets, long bytes,
        String text) { }
