// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.diagnosis.Facts.PortFacts;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the packet leaves by an uplink: IPv4 alone, for IPv6 only the link. */
final class BackboneCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final boolean leaves = subject.packet().map(packet -> RouteCheck.leaves(subject, packet))
            .orElse(tenant.nat().isPresent() || tenant.ipv6().isPresent());
        if (!leaves) {
            return;
        }
        final Set<String> nodes = subject.attachments().stream().map(Tenant.Attachment::node)
            .collect(Collectors.toCollection(TreeSet::new));
        nodes.stream().filter(node -> subject.facts().node(node).isKnown()).forEach(node -> leave(subject, node, walk));
    }

    private static void leave(final Subject subject, final String name, final Walk walk) {
        final Backbone backbone = subject.facts().snapshot().backbone();
        final NodeFacts node = subject.facts().node(name);
        final List<Backbone.Interface> uplinks = backbone.on(name);
        if (uplinks.isEmpty()) {
            walk.fails(Stage.BACKBONE, Cause.NO_UPLINK, "Node " + name + " has no uplink to the backbone.",
                "Configure an interface of the backbone on the node.");
            return;
        }
        final Optional<FiveTuple> packet = subject.packet().filter(each -> each.family() == IpFamily.IPV4);
        final Optional<Ipv4> to = packet.map(each -> real(subject.tenant(), each.destination4()));
        final boolean isV4 = packet.isPresent() || subject.packet().isEmpty() && subject.tenant().nat().isPresent();
        final List<Ipv4> hops = to.map(address -> hop(uplinks, backbone, address).stream().toList())
            .orElseGet(() -> isV4 ? backbone.routes().stream().map(Route::nextHop).distinct().toList() : List.of());
        if (to.isPresent() && hops.isEmpty()) {
            walk.fails(Stage.BACKBONE, Cause.NO_BACKBONE_ROUTE, "The backbone has no route to " + to.orElseThrow()
                + ".",
                "Configure a route of the backbone, such as a default route.");
            return;
        }
        final List<Backbone.Interface> used = uplinks.stream().filter(uplink -> hops.isEmpty()
            || hops.stream().anyMatch(uplink.prefix()::contains)).toList();
        used.forEach(uplink -> link(name, uplink, node, walk));
        hops.forEach(hop -> used.stream().filter(uplink -> uplink.prefix().contains(hop)).findFirst()
            .ifPresent(uplink -> gateway(name, uplink, hop, to, node, walk)));
        packet.ifPresent(each -> used.forEach(uplink -> list(subject, uplink, each, walk)));
    }

    /** The address outside that a host sees at another one. */
    private static Ipv4 real(final Tenant tenant, final Ipv4 seen) {
        return tenant.nat().stream().flatMap(nat -> nat.twice().stream()).filter(each -> each.seen().contains(seen))
            .findFirst().map(each -> each.outside().address().plus(seen.minus(each.seen().address()))).orElse(seen);
    }

    /** The next hop of the longest route: the destination itself on a connected network. */
    private static Optional<Ipv4> hop(final List<Backbone.Interface> uplinks, final Backbone backbone, final Ipv4 to) {
        return uplinks.stream().anyMatch(uplink -> uplink.prefix().contains(to)) ? Optional.of(to)
            : backbone.routes().stream().filter(route -> route.prefix().contains(to))
                .max(Comparator.comparingInt((Route route) -> route.prefix().length())).map(Route::nextHop);
    }

    private static void link(final String name, final Backbone.Interface uplink, final NodeFacts node,
            final Walk walk) {
        final @Nullable PortFacts port = node.ports().get(uplink.port());
        final String text = "Uplink " + uplink.port() + " of node " + name;
        if (port == null) {
            walk.fails(Stage.BACKBONE, Cause.PORT_MISSING, text + " is not in the switch.",
                "Compare the ports of the node with its profile.");
        } else if (!port.error().isEmpty()) {
            walk.fails(Stage.BACKBONE, Cause.PORT_FAILED, "The switch could not open u" + text.substring(1) + ": "
                + port.error() + ".", "Check the device of the port, and its driver.");
        } else if (!port.up()) {
            walk.fails(Stage.BACKBONE, Cause.PORT_DOWN, text + " has no link.",
                "Check the cable and the device at its other end.");
        } else {
            mtu(text, uplink.mtu(), port.mtu(), "the uplink", walk);
        }
    }

    /** A configured MTU that the port does not take: the switch drops longer packets without an ICMP error. */
    static void mtu(final String port, final int configured, final OptionalInt actual, final String where,
            final Walk walk) {
        if (actual.isPresent() && configured > actual.orElseThrow()) {
            walk.fails(Stage.BACKBONE, Cause.MTU_TOO_LARGE, port + " takes packets of " + actual.orElseThrow()
                + " bytes, but " + configured + " are configured for " + where + ", so longer packets are lost.",
                "Lower the configured mtu to " + actual.orElseThrow() + ", or raise that of the port and of the device "
                + "at its other end.");
        }
    }

    private static void gateway(final String name, final Backbone.Interface uplink, final Ipv4 hop,
            final Optional<Ipv4> to, final NodeFacts node, final Walk walk) {
        if (node.gateways().contains(hop.toString())) {
            walk.passes(Stage.BACKBONE, hop, "Next hop " + hop + " is known to the switch, by uplink " + uplink.port()
                + ".");
        } else {
            walk.fails(Stage.BACKBONE, Cause.GATEWAY_SILENT, new Unheard(hop, /* outside= */ true),
                (to.filter(hop::equals).isPresent() ? "Destination "
                : "Transit gateway ") + hop + " does not answer ARP on uplink " + uplink.port() + " of node " + name
                + ", so packets to it are lost.", "Check the device " + hop + ", the uplink, and its VLAN "
                + uplink.vlan() + ".");
        }
    }

    private static void list(final Subject subject, final Backbone.Interface uplink, final FiveTuple packet,
            final Walk walk) {
        final Optional<FiveTuple> sent = subject.inbound().map(inbound -> inbound.packet().answer())
            .or(() -> translated(subject, packet));
        if (uplink.egressAcl().isEmpty() || sent.isEmpty()) {
            return;
        }
        final String list = uplink.egressAcl().orElseThrow();
        final FiveTuple translated = sent.orElseThrow();
        ListCheck.denied(subject, list, translated).ifPresentOrElse(reason -> walk.fails(Stage.BACKBONE,
            Cause.BACKBONE_LIST_DENIES, "List " + list + " of uplink " + uplink.port() + " drops packets "
            + Subject.text(translated) + ": " + reason + ".",
            "Add an entry to list " + list + " that permits them, before the one that denies them."),
            () -> walk.passes(Stage.BACKBONE, "List " + list + " of uplink " + uplink.port() + " permits the packet."));
    }

    private static Optional<FiveTuple> translated(final Subject subject, final FiveTuple packet) {
        return subject.facts().given().flatMap(given -> subject.tenant().nat().flatMap(nat ->
            TranslationCheck.publicAddress(nat, given, packet.source4()))).map(address -> new FiveTuple(packet.family(),
                new Ipv6(0, address.number()), packet.destination(), packet.protocol(), packet.sourcePort(),
                packet.destinationPort()));
    }
}
