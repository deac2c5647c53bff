// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import io.penstock.configuration.Readiness;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A member at one moment.
 *
 * @param isShortOfRoom whether the disk has too little room
 * @param certificates of it and of connected nodes: the ends by owner
 * @param exports one for each collector of records
 */
public record Member(Readiness.Level readiness, boolean isShortOfRoom, Map<String, Instant> certificates,
        List<Export> exports) {
    /** Before the controller has started. */
    public static final Member STARTING = new Member(Readiness.Level.ABSENT, false, Map.of(), List.of());

    public Member {
        certificates = Map.copyOf(certificates);
        exports = List.copyOf(exports);
    }

    /**
     * Records for a collector, since the start of the member.
     *
     * @param setting the one that names the collector
     * @param lost thrown away; UDP loses more without telling
     */
    public record Export(String setting, String collector, long sent, long lost) { }
}
