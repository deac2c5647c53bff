// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Snapshot;

/**
 * A checked configuration together with what was handed out for it.
 *
 * @param revision counts the times that the configuration was read; everything that was committed before revision
 *     {@code n} was asked for is in the one with that revision and in all later ones
 */
public record Desired(long revision, Snapshot snapshot, Allocations allocations) {
    public Desired {
        requireNonNull(snapshot);
        requireNonNull(allocations);
    }

    /** Whether nothing but the revision differs. */
    public boolean sameAs(final Desired other) {
        return snapshot == other.snapshot && allocations == other.allocations;
    }
}
