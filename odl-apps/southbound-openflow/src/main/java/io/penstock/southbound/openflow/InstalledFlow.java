// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;

/**
 * A flow that a switch has, with its counters since it was added.
 *
 * @param ageSeconds since it was added; a flow that a switch learns once more stays as old as it was
 */
public record InstalledFlow(FlowSpec flow, long packets, long bytes, long ageSeconds) {
    public InstalledFlow {
        requireNonNull(flow);
    }

    /** Added in this second. */
    public InstalledFlow(final FlowSpec flow, final long packets, final long bytes) {
        this(flow, packets, bytes, 0);
    }
}
