// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.Canary.Tolerance;
import java.util.Optional;

/** The new version of a function, as penstock-canary has it. */
final class CanaryReader {
    private static final Tolerance TOLERANCE = new Tolerance(1, 200, 1);

    private CanaryReader() {
        // Only functions.
    }

    static Optional<Canary> read(final Leaves function) throws UnreadableException {
        return function.child("canary", canary -> new Canary(canary.text("version"), canary.texts("instance"),
            canary.number("share").orElse(10), canary.number("duration").orElse(300),
            canary.child("tolerance", CanaryReader::tolerance).orElse(TOLERANCE),
            canary.optional("least-packets", Long::parseLong).orElse(100L)));
    }

    private static Tolerance tolerance(final Leaves tolerance) throws UnreadableException {
        return new Tolerance(tolerance.number("loss").orElse(TOLERANCE.lossPoints()),
            tolerance.number("latency").orElse(TOLERANCE.latencyPercent()),
            tolerance.number("drops").orElse(TOLERANCE.dropPoints()));
    }
}
