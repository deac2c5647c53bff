// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/** What a change would do. */
public record NatPreview(List<Moved> moves) {
    /**
     * A tenant or subscriber that loses an address or ports.
     *
     * @param subscriber empty when it is the tenant, with the address of its source NAT
     * @param to empty when there is none, or one is given when it is needed
     * @param blocks of a subscriber
     * @param sessions connections that have flows of their own
     */
    public record Moved(String tenant, String subscriber, String from, String to, int blocks, int sessions) { }
}
