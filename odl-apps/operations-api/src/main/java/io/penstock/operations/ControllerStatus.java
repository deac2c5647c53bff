// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.SortedMap;

/**
 * This controller.
 *
 * @param icmpErrors packets of which a router may have to tell the sender, by what became of them, since the start
 * @param packetIns packets that switches sent to the controller, by the service that handles them, since the start
 */
public record ControllerStatus(String url, String version, long uptimeSeconds, SortedMap<String, Long> icmpErrors,
        SortedMap<String, PacketInCount> packetIns) {
    /**
     * What a service did with packets that switches sent to the controller.
     *
     * @param taken answered, or queued to be answered
     * @param ignored well-formed and without an answer
     * @param malformed those that cannot be read
     * @param failed those on which the service failed, which is a defect of the controller
     */
    public record PacketInCount(long taken, long ignored, long malformed, long failed) { }
}
