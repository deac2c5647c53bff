// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import io.penstock.pipeline.net.Prefix;
import java.time.Instant;
import java.util.Optional;

/** One change of each kind. */
final class SampleChanges {
    static final Instant TIME = Instant.parse("2026-11-21T10:00:00.123Z");
    static final Change BLOCK = new Change(TIME, true, new Assignment("r\"e]d\\", 7, Assignment.PORT_BLOCK,
        Optional.of(Prefix.parse("10.0.0.5/32")), Prefix.parse("198.51.100.4/32"),
        Optional.of(new Assignment.Blocks(64512, 1024)), Optional.empty()));
    static final Change FORWARD = new Change(TIME, false, new Assignment("red", 2, Assignment.PORT_FORWARD,
        Optional.of(Prefix.parse("10.0.0.20/32")), Prefix.parse("203.0.113.1/32"), Optional.empty(),
        Optional.of(new Assignment.Forwarded(17, 53, 5353))));
    static final Change SOURCE = new Change(TIME, true, new Assignment("red", 2, Assignment.SOURCE, Optional.empty(),
        Prefix.parse("203.0.113.1/32"), Optional.empty(), Optional.empty()));
    static final Change ONE_TO_ONE = new Change(TIME, false, new Assignment("blue", 3, "one-to-one",
        Optional.of(Prefix.parse("10.1.0.0/24")), Prefix.parse("198.51.101.0/24"), Optional.empty(),
        Optional.empty()));
    static final Change DETERMINISTIC = new Change(TIME, true, new Assignment("blue", 3, "deterministic",
        Optional.of(Prefix.parse("10.2.0.0/24")), Prefix.parse("198.51.102.0/30"),
        Optional.of(new Assignment.Blocks(1024, 1008)), Optional.empty()));

    private SampleChanges() {
        // Values only.
    }
}
