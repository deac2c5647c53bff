// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.Canary.Tolerance;
import java.util.Optional;

/** The new version of a function, as penstock-canary has it. */
final class CanaryReader {
    private CanaryReader() {
        // Only functions.
    }

    static Optional<Canary> read(final Leaves function) throws UnreadableException {
        return function.child("canary", canary -> new Canary(canary.text("version"), canary.texts("instance"),
            canary.count("share"), canary.count("duration"), canary.inside("tolerance", CanaryReader::tolerance),
            canary.needed("least-packets", Long::parseLong)));
    }

    private static Tolerance tolerance(final Leaves tolerance) throws UnreadableException {
        return new Tolerance(tolerance.count("loss"), tolerance.count("latency"), tolerance.count("drops"));
    }
}
