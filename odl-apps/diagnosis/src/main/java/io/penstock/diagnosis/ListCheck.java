// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Ipv6Side.Inbound;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether the lists of the tenant permit the packet and its reply. */
final class ListCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        if (subject.inbound().isPresent()) {
            subject.packet().ifPresent(reply -> inbound(subject, reply, walk));
            return;
        }
        subject.packet().filter(packet -> RouteCheck.leaves(subject, packet)).ifPresent(packet -> {
            final Tenant tenant = subject.tenant();
            tenant.egressAcl().ifPresent(name -> denied(subject, name, packet).ifPresentOrElse(
                reason -> walk.fails(Stage.LIST, Cause.LIST_DENIES, "List " + name + " of tenant " + tenant.name()
                    + " drops packets " + Subject.text(packet) + ": " + reason + ".",
                    "Add an entry to list " + name + " that permits them, before the one that denies them."),
                () -> walk.passes(Stage.LIST, "List " + name + " permits packets " + Subject.text(packet) + ".")));
            if (!repliesPass(tenant, packet)) {
                tenant.protection().ingressAcl().ifPresent(name -> denied(subject, name, packet.answer())
                    .ifPresentOrElse(reason -> walk.fails(Stage.LIST, Cause.LIST_DENIES_REPLY, "List " + name
                        + " of tenant " + tenant.name() + " drops the replies, " + Subject.text(packet.answer()) + ": "
                        + reason + ".", "Set stateful, with which replies need no entry, or permit them."),
                        () -> walk.passes(Stage.LIST, "List " + name + " permits the replies.")));
            }
        });
    }

    /** A packet from an external host meets the list of the other direction first, as it is inside the VRF. */
    private static void inbound(final Subject subject, final FiveTuple reply, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final FiveTuple packet = reply.answer();
        tenant.protection().ingressAcl().ifPresent(name -> denied(subject, name, packet).ifPresentOrElse(
            reason -> walk.fails(Stage.LIST, Cause.LIST_DENIES, "List " + name + " of tenant " + tenant.name()
                + " drops packets " + Subject.text(packet) + ": " + reason + ".",
                "Add an entry to list " + name + " that permits them, before the one that denies them."),
            () -> walk.passes(Stage.LIST, "List " + name + " permits packets " + Subject.text(packet) + ".")));
        if (!tenant.protection().stateful()) {
            tenant.egressAcl().ifPresent(name -> denied(subject, name, reply).ifPresentOrElse(
                reason -> walk.fails(Stage.LIST, Cause.LIST_DENIES_REPLY, "List " + name + " of tenant "
                    + tenant.name() + " drops the replies, " + Subject.text(reply) + ": " + reason + ".",
                    "Set stateful, with which replies need no entry, or permit them."),
                () -> walk.passes(Stage.LIST, "List " + name + " permits the replies.")));
        }
    }

    private static boolean repliesPass(final Tenant tenant, final FiveTuple packet) {
        return tenant.protection().stateful() || packet.family() == IpFamily.IPV6
            && tenant.protection().ingressAcl().isEmpty() && tenant.ipv6().inbound() == Inbound.REPLIES;
    }

    /** The reason why a list denies a packet; nothing if it permits the packet. */
    static Optional<String> denied(final Subject subject, final String list, final FiveTuple packet) {
        final @Nullable Acl acl = subject.facts().snapshot().acls().get(list);
        if (acl == null) {
            return Optional.of("the list is not configured");
        }
        final Optional<Acl.Entry> met = acl.entries().stream().filter(entry -> entry.match().isAbout(packet))
            .findFirst();
        return met.isEmpty() ? Optional.of("no entry permits them")
            : met.filter(entry -> !entry.permit()).map(entry -> "entry " + entry.name() + " denies them");
    }
}
