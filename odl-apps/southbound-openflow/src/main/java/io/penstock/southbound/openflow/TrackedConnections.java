// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.pipeline.net.Ipv4;
import java.util.Optional;

/**
 * TrackedConnections that a switch tracks.
 *
 * @param publicAddress only those whose source was given this address; all of the zone when absent
 */
public record TrackedConnections(int zone, Optional<Ipv4> publicAddress) {
    /** All of a zone. */
    public static TrackedConnections ofZone(final int zone) {
        return new TrackedConnections(zone, Optional.empty());
    }
}
