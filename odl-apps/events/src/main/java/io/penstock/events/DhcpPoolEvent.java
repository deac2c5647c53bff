// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

/**
 * A client of a DHCP server asked for an address and none was left, or there is one again.
 *
 * @param subnet whose pools are meant, as prefix
 * @param isEmpty whether none was left
 */
public record DhcpPoolEvent(String tenant, String subnet, boolean isEmpty) implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-state:dhcp-pool-event";
    }

    @Override
    public Severity severity() {
        return isEmpty ? Severity.ERROR : Severity.NOTICE;
    }

    @Override
    public String text() {
        return "tenant " + tenant + " DHCP subnet " + subnet + ": " + (isEmpty
            ? "empty, a client asked and no address was left" : "available, an address is free again");
    }

    @Override
    public Details details() {
        return Details.none().with("event", isEmpty ? "empty" : "available").with("tenant", tenant)
            .with("subnet", subnet);
    }
}
