// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Register;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a frame came in, and where an answer to it goes.
 *
 * @param port OpenFlow port
 * @param vlan 802.1Q tag; 0 is untagged
 */
public record Place(SwitchId node, int port, int vlan) {
    private static final int VLAN_BITS = 12;

    public Place {
        requireNonNull(node);
    }

    /** Where a packet came in; the switch has taken its tag off. */
    public static Place of(final PacketIn packet) {
        final long value = packet.value(Register.IN_ATTACHMENT);
        return new Place(packet.source(), (int) (value >>> VLAN_BITS), (int) value & (1 << VLAN_BITS) - 1);
    }

    /** The place of an attachment. */
    public static Place of(final SwitchId node, final Allocations allocations, final Tenant.Attachment attachment) {
        return new Place(node, allocations.port(attachment.node(), attachment.port()), attachment.vlan());
    }

    /** The attachment of a tenant that is here, at this node. */
    public Optional<Tenant.Attachment> attachment(final Tenant tenant, final Allocations allocations) {
        return tenant.attachments().stream()
            .filter(at -> at.vlan() == vlan && isHere(at.node(), allocations)
                && Integer.valueOf(port).equals(number(allocations, at))).findFirst();
    }

    private boolean isHere(final String name, final Allocations allocations) {
        return allocations.nodeOf(node.datapathId()).filter(name::equals).isPresent();
    }

    private static @Nullable Integer number(final Allocations allocations, final Tenant.Attachment attachment) {
        final Map<String, Integer> ports = allocations.ports().get(attachment.node());
        return ports == null ? null : ports.get(attachment.port());
    }
}
