// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

/**
 * Hosts of a tenant on a node send from addresses that are not theirs, or do so no longer.
 *
 * @param begins whether they have begun
 */
public record SpoofingEvent(boolean begins, String tenant, String node) implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-state:spoofing-event";
    }

    @Override
    public Severity severity() {
        return begins ? Severity.WARNING : Severity.NOTICE;
    }

    @Override
    public String text() {
        return "tenant " + tenant + ": " + (begins ? "" : "no ") + "packets from addresses that are not the senders' "
            + "are dropped on node " + node + (begins ? "" : " any more");
    }

    @Override
    public Details details() {
        return Details.none().with("event", begins ? "seen" : "ended").with("tenant", tenant).with("node", node);
    }
}
