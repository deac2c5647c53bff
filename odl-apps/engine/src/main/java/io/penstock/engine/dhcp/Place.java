// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.dhcp;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Register;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.Optional;

/**
 * Where a frame came in, and where an answer to it goes.
 *
 * @param port OpenFlow port
 * @param vlan 802.1Q tag
 */
record Place(SwitchId node, int port, int vlan) {
    private static final int VLAN_BITS = 12;

    /** Where a packet came in; the switch has taken its tag off. */
    static Place of(final PacketIn packet) {
        final long value = packet.value(Register.IN_ATTACHMENT);
        return new Place(packet.source(), (int) (value >>> VLAN_BITS), (int) value & (1 << VLAN_BITS) - 1);
    }

    /** The place of an attachment. */
    static Place of(final SwitchId node, final Allocations allocations, final Tenant.Attachment attachment) {
        return new Place(node, allocations.port(attachment.node(), attachment.port()), attachment.vlan());
    }

    /** The attachment of a tenant that is here. */
    Optional<String> attachment(final Tenant tenant, final Allocations allocations) {
        return tenant.attachments().stream()
            .filter(at -> at.vlan() == vlan && allocations.port(at.node(), at.port()) == port)
            .map(Tenant.Attachment::name).findFirst();
    }
}
