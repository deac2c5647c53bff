// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * The way of a packet and of its answer.
 *
 * @param reason what differs, what was not checked and why; empty if there is nothing to say
 */
public record TraceReport(String node, TraceWay outbound, TraceWay inbound, Verdict verdict, String reason) {
    /**
     * A function of a chain.
     *
     * @param instance the one that the packet comes to; empty when it comes to none
     * @param portTo by which it comes there; empty when it does not
     * @param portFrom by which it comes back; empty when it does not
     */
    public record TraceHop(String function, String instance, String reason, String portTo, String portFrom) { }

    /**
     * One direction, as planned.
     *
     * @param chain empty for none
     * @param rule that says so; empty when the tenant's own chain is meant
     */
    public record TraceWay(String chain, String rule, List<TraceHop> hops) { }

    /** Whether the switch does what is planned. */
    public enum Verdict { AGREES, DIFFERS, NOT_CHECKED }
}
