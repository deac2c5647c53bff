// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether anything is published where a packet from an external host goes. */
final class InboundCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        subject.inbound().ifPresent(inbound -> inbound.inside().ifPresentOrElse(
            inside -> published(subject, inbound, inside, walk), () -> unpublished(subject, inbound.packet(), walk)));
    }

    private static void published(final Subject subject, final Inbound inbound, final FiveTuple inside,
            final Walk walk) {
        if (inside.family() == IpFamily.IPV6) {
            routed(subject.tenant(), inside, walk);
            return;
        }
        final boolean ports = inside.hasPorts();
        walk.passes(Stage.TRANSLATION, inbound.by() + " leads from " + inbound.packet().destination4()
            + (ports ? ", " + service(inbound.packet()) + "," : "") + " to " + inside.destination4()
            + (ports ? ", port " + inside.destinationPort() : "") + ".");
    }

    /** IPv6 is routed, not translated: without a list replies alone come in, unless it is configured otherwise. */
    private static void routed(final Tenant tenant, final FiveTuple inside, final Walk walk) {
        if (tenant.protection().ingressAcl().isEmpty() && tenant.ipv6().inbound() == Ipv6Side.Inbound.REPLIES) {
            walk.fails(Stage.ROUTE, Cause.NOT_PUBLISHED, "Only replies come in to IPv6 hosts of tenant "
                + tenant.name() + ", so connections to " + Subject.destination(inside) + " are dropped.",
                "Configure an ingress list that permits them, or set ipv6 inbound to any.");
        } else {
            walk.passes(Stage.ROUTE, Subject.destination(inside) + " is inside the VRF, and is not translated.");
        }
    }

    private static void unpublished(final Subject subject, final FiveTuple packet, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final Optional<Ipv4> own = subject.facts().given().flatMap(TenantAllocation::publicAddress);
        if (packet.family() == IpFamily.IPV4 && own.filter(packet.destination4()::equals).isPresent()) {
            final String there = tenant.nat().stream().flatMap(nat -> nat.forwards().stream()).map(each ->
                each.name() + " (" + port(each.protocol(), each.publicPort()) + ")")
                .collect(Collectors.joining(", "));
            walk.fails(Stage.TRANSLATION, Cause.NOT_PUBLISHED, packet.destination4() + " is the public address of "
                + "tenant " + tenant.name() + ", and no port forward is for " + service(packet) + (there.isEmpty()
                    ? "." : "; those of the tenant are " + there + "."), packet.hasPorts()
                ? "Configure a port forward of nat for this port." : "Configure a one-to-one entry of nat: a port "
                    + "forward is for TCP or UDP.");
        } else {
            walk.fails(Stage.TRANSLATION, Cause.NOT_PUBLISHED, "No port forward, no one-to-one entry and no IPv6 "
                + "subnet of tenant " + tenant.name() + " has the address " + Subject.destination(packet) + own.map(
                    address -> "; its public address is " + address).orElse("") + ".",
                "Ask for a public address of the tenant, or publish the host by a port forward or a one-to-one entry.");
        }
    }

    private static String service(final FiveTuple packet) {
        return packet.hasPorts() ? port(packet.protocol(), packet.destinationPort()) : "ping";
    }

    private static String port(final int protocol, final int port) {
        return IpProtocol.name(protocol).toUpperCase(Locale.ROOT) + " port " + port;
    }
}
