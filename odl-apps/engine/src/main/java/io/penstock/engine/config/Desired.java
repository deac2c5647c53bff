// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Snapshot;

/** A checked configuration together with what was handed out for it. */
public record Desired(Snapshot snapshot, Allocations allocations) {
    public Desired {
        requireNonNull(snapshot);
        requireNonNull(allocations);
    }
}
