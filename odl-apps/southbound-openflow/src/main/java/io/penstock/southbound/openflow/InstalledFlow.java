// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;

/** A flow that a switch has, with its counters since it was added. */
public record InstalledFlow(FlowSpec flow, long packets, long bytes) {
    public InstalledFlow {
        requireNonNull(flow);
    }
}
