// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Subject.Address;
import io.penstock.operations.WhyQuestion;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.Optional;

/**
 * A packet that begins a connection from an external host to a tenant.
 *
 * @param packet as it comes from the backbone
 * @param inside as the host of the tenant gets it; absent if nothing is published at its destination
 * @param by the entry of the configuration that publishes it, as it is named in sentences; empty for IPv6, which is
 *     not translated
 */
record Inbound(FiveTuple packet, Optional<FiveTuple> inside, String by) {
    /**
     * Reads a question about an external host.
     *
     * @throws IllegalArgumentException when a leaf will not do; the message begins with its name
     */
    static Inbound of(final Facts facts, final WhyQuestion question) {
        final Address from = address("host", question.host());
        final Address to = address("destination", question.destination());
        if (from.family() != to.family()) {
            throw new IllegalArgumentException("destination: " + to + " is of another family than host " + from);
        }
        final FiveTuple packet = Subject.packet(from, to, question);
        final Tenant tenant = facts.tenant();
        if (isInside(tenant, seen(tenant, from))) {
            throw new IllegalArgumentException("host: " + from + " is inside the VRF of tenant " + tenant.name()
                + "; an inbound question needs an external host");
        }
        return from.isV4() ? tenant.nat().flatMap(nat -> published(facts, nat, packet))
            .orElse(new Inbound(packet, Optional.empty(), ""))
            : new Inbound(packet, Optional.of(packet).filter(each -> isInside(tenant, to)), "");
    }

    private static Address address(final String leaf, final Optional<String> text) {
        return text.map(given -> Address.parse(given).orElseThrow(() -> new IllegalArgumentException(leaf + ": '"
            + given + "' is no IP address"))).orElseThrow(() -> new IllegalArgumentException(leaf
                + ": is missing; an inbound question needs it"));
    }

    private static boolean isInside(final Tenant tenant, final Address address) {
        return address.isV4() ? tenant.insidePrefixes().stream().anyMatch(each -> each.contains(address.v4()))
            : tenant.ipv6().insidePrefixes().stream().anyMatch(each -> each.contains(address.value()));
    }

    /** The address at which hosts of the tenant see an external host. */
    private static Address seen(final Tenant tenant, final Address external) {
        return tenant.nat().stream().filter(nat -> external.isV4()).flatMap(nat -> nat.twice().stream())
            .filter(each -> each.outside().contains(external.v4())).findFirst()
            .map(each -> each.seen().address().plus(external.v4().minus(each.outside().address())))
            .map(address -> new Address(external.family(), new Ipv6(0, address.number()))).orElse(external);
    }

    private static Optional<Inbound> published(final Facts facts, final Tenant.Nat nat, final FiveTuple packet) {
        final Ipv4 to = packet.destination4();
        final Optional<Inbound> forward = facts.given().flatMap(TenantAllocation::publicAddress).filter(to::equals)
            .flatMap(address -> nat.forwards().stream().filter(each -> each.protocol() == packet.protocol()
                && each.publicPort() == packet.destinationPort()).findFirst())
            .map(each -> published(facts, packet, each.address(), each.port(), "Port forward " + each.name()));
        return forward.or(() -> nat.oneToOne().stream().filter(each -> each.outside().contains(to)).findFirst()
            .map(each -> published(facts, packet, each.inside().address().plus(to.minus(each.outside().address())),
                packet.destinationPort(), "The one-to-one entry of " + each.outside())));
    }

    private static Inbound published(final Facts facts, final FiveTuple packet, final Ipv4 host, final int port,
            final String by) {
        return new Inbound(packet, Optional.of(new FiveTuple(packet.family(),
            seen(facts.tenant(), Subject.source(packet)).value(), new Ipv6(0, host.number()), packet.protocol(),
            packet.sourcePort(), port)), by);
    }
}
