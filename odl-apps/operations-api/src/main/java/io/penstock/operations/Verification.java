// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/** The comparison of one node. */
public record Verification(String node, boolean connected, FlowCounts flows, List<Difference> differences) {
    /** A flow or meter that is not as planned; {@code kind} is missing, excess or wrong. */
    public record Difference(String kind, String flow) { }
}
