// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Optional;

/**
 * What a tenant may use up of what all tenants share. Absent is no limit of its own.
 *
 * @param sessions tracked connections at a time, from 1
 * @param newSessions connections that may begin in a second
 * @param outKbps to the backbone, kilobits a second
 * @param inKbps from the backbone, kilobits a second
 * @param controllerPackets packets a second that the controller hears of, for each protocol
 * @param aclRules entries of its access lists together
 * @param leases addresses that its DHCP server has given at a time
 * @param learnedHosts hosts and next hops that are learned at a time
 */
public record Quota(Optional<Integer> sessions, Optional<Integer> newSessions, Optional<Long> outKbps,
        Optional<Long> inKbps, Optional<Integer> controllerPackets, Optional<Integer> aclRules,
        Optional<Integer> leases, Optional<Integer> learnedHosts) {
    /** No limit. */
    public static final Quota NONE = new Quota(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
