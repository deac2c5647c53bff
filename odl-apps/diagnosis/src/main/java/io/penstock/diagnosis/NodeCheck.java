// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.diagnosis.Facts.PortFacts;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Attachment;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the nodes carry out the configuration, and the ports of the attachments have links. */
final class NodeCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        subject.facts().failed().ifPresent(reason -> walk.fails(Stage.CONFIGURATION, Cause.CONFIGURATION_FAILED,
            "The controller does not carry out the configuration of tenant " + tenant.name() + ": " + reason + ".",
            "Correct the configuration of the tenant."));
        if (tenant.attachments().isEmpty()) {
            walk.fails(Stage.CONFIGURATION, Cause.NO_ATTACHMENT, "Tenant " + tenant.name() + " has no attachment.",
                "Configure an attachment.");
            return;
        }
        final Set<String> nodes = subject.attachments().stream().map(Attachment::node)
            .collect(Collectors.toCollection(TreeSet::new));
        nodes.forEach(name -> node(tenant, name, subject.facts().node(name), walk));
        subject.attachments().forEach(at -> {
            port(at, subject.facts().node(at.node()), walk);
            mtu(tenant, at, subject.facts().node(at.node()), walk);
        });
    }

    private static void mtu(final Tenant tenant, final Attachment at, final NodeFacts node, final Walk walk) {
        final @Nullable PortFacts port = node.ports().get(at.port());
        if (port != null && port.up()) {
            tenant.subnets().stream().filter(subnet -> tenant.attachmentsOf(subnet).contains(at)).forEach(subnet ->
                BackboneCheck.mtu("Port " + at.port() + " of node " + at.node(), subnet.mtu(), port.mtu(),
                    "subnet " + subnet.name(), walk));
        }
    }

    private static void node(final Tenant tenant, final String name, final NodeFacts node, final Walk walk) {
        switch (node.service()) {
            case SERVING -> walk.passes(Stage.NODE, "Node " + name + " is connected and carries out the "
                + "configuration.");
            case AWAY -> walk.unknown(Stage.NODE, Cause.NODE_AWAY, "Node " + name + " is not connected to the "
                + "controller, so nothing is known of its ports, hosts and drops; its switch forwards packets as it "
                + "was told before.", "Check the node: power, network to the controller, certificates, and its log.");
            case INSTALLING -> walk.unknown(Stage.NODE, Cause.BEING_INSTALLED, "Node " + name + " has not confirmed "
                + "the newest configuration of tenant " + tenant.name() + " yet.", "Ask again in some seconds.");
            case REFUSING -> walk.fails(Stage.NODE, Cause.FLOWS_REFUSED, "Node " + name + " refuses flows of tenant "
                + tenant.name() + ": " + node.reason() + ".", "Report this as a defect, with the log of the "
                + "controller.");
            default -> walk.fails(Stage.NODE, Cause.FLOWS_MISSING, "The switch differs from its plan: "
                + node.reason() + ".", "The controller repairs the switch by itself; resync does it at once.");
        }
    }

    private static void port(final Attachment at, final NodeFacts node, final Walk walk) {
        if (!node.isKnown()) {
            return;
        }
        final String port = "Port " + at.port() + " of node " + at.node();
        final @Nullable PortFacts facts = node.ports().get(at.port());
        if (facts == null) {
            walk.fails(Stage.PORT, Cause.PORT_MISSING, port + ", where attachment " + at.name()
                + " is, is not in the switch.", "Compare the ports of the node with its profile.");
        } else if (!facts.error().isEmpty()) {
            walk.fails(Stage.PORT, Cause.PORT_FAILED, "The switch could not open p" + port.substring(1)
                + ", where attachment " + at.name() + " is: " + facts.error() + ".",
                "Check the device of the port, and its driver.");
        } else if (!facts.up()) {
            walk.fails(Stage.PORT, Cause.PORT_DOWN, port + ", where attachment " + at.name()
                + " is, has no link.", "Check the cable and the device at its other end.");
        } else if (node.flooding().contains(at.place())) {
            walk.fails(Stage.PORT, Cause.FLOODING, "Frames of attachment " + at.name() + " (" + at.node() + "/"
                + at.port() + "/" + at.vlan() + ") flood the slow path of the switch, and are limited.",
                "Find the host at this attachment that sends to ever new addresses, and stop it.");
        } else {
            walk.passes(Stage.PORT, port + " has a link; attachment " + at.name() + " is its VLAN " + at.vlan() + ".");
        }
    }
}
