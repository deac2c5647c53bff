// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.util.OptionalLong;

/**
 * TrackedConnections that a switch tracks.
 *
 * @param publicAddress only those whose source was given this address; all of the zone when absent
 */
public record TrackedConnections(int zone, OptionalLong publicAddress) {
    /** All of a zone. */
    public static TrackedConnections ofZone(final int zone) {
        return new TrackedConnections(zone, OptionalLong.empty());
    }
}
