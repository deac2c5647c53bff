// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Subject.Address;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv6;

/** Whether the hosts of published services are there; for questions about a whole tenant. */
final class PublishedCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        if (subject.sender().isPresent() || subject.packet().isPresent() || subject.tenant().nodes().stream()
                .anyMatch(node -> !subject.facts().node(node).isKnown())) {
            return;
        }
        subject.tenant().nat().ifPresent(nat -> nat.forwards().forEach(forward -> look(subject, forward, walk)));
    }

    private static void look(final Subject subject, final Tenant.PortForward forward, final Walk walk) {
        final String text = "Port forward " + forward.name() + " leads to " + forward.address() + ", port "
            + forward.port();
        final Address host = new Address(IpFamily.IPV4, new Ipv6(0, forward.address().number()));
        if (subject.isSeen(RouteCheck.nextHop(subject.tenant(), host).orElse(host))) {
            walk.passes(Stage.TRANSLATION, text + ", a host that the switch has learned.");
        } else {
            walk.fails(Stage.TRANSLATION, Cause.PUBLISHED_HOST_SILENT, new Unheard(forward.address(),
                /* outside= */ false), text + ", which has not answered ARP in the last 20 minutes.",
                "Check that the host is on, and at an attachment of its subnet.");
        }
    }
}
