// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

/**
 * A quota of a tenant has begun to drop packets on a node, or does so no longer.
 *
 * @param begins whether it has begun
 * @param quota {@code sessions}, or the name of the meter as {@code limits} has it
 */
public record QuotaEvent(boolean begins, String tenant, String node, String quota) implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-state:quota-event";
    }

    @Override
    public Severity severity() {
        return begins ? Severity.WARNING : Severity.NOTICE;
    }

    @Override
    public String text() {
        return "tenant " + tenant + ": quota " + quota + " on node " + node
            + (begins ? " is reached, packets are dropped" : " drops no packets any more");
    }

    @Override
    public Details details() {
        return Details.none().with("event", begins ? "reached" : "left").with("tenant", tenant).with("node", node)
            .with("quota", quota);
    }
}
