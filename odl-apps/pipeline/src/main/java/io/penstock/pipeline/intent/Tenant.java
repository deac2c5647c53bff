// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A customer: one VRF. */
public record Tenant(String name, List<Attachment> attachments, List<Subnet> subnets, List<Route> routes,
        Optional<Nat> nat, Optional<String> egressAcl, Optional<String> chain) {
    public Tenant {
        attachments = List.copyOf(attachments);
        subnets = List.copyOf(subnets);
        routes = List.copyOf(routes);
    }

    /** A VLAN on an access port. */
    public record Attachment(String name, String node, String port, int vlan) { }

    /** A subnet and the attachments it is on; no attachment means all. */
    public record Subnet(String name, Prefix prefix, long gateway, List<String> attachments) {
        public Subnet {
            attachments = List.copyOf(attachments);
        }
    }

    /** Where the public address comes from: exactly one of the two is there. */
    public record Nat(Optional<Long> address, Optional<String> pool) { }

    /** Attachments that a subnet is on. */
    public List<Attachment> attachmentsOf(final Subnet subnet) {
        return subnet.attachments().isEmpty() ? attachments
            : attachments.stream().filter(each -> subnet.attachments().contains(each.name())).toList();
    }

    /** Prefixes that are inside the VRF: its subnets, and what is routed to routers behind its hosts. */
    public List<Prefix> insidePrefixes() {
        return Stream.concat(subnets.stream().map(Subnet::prefix), routes.stream().map(Route::prefix))
            .distinct().sorted().toList();
    }
}
