// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.southbound.openflow.wire.WireMatch;
import java.util.Map;
import org.opendaylight.mdsal.binding.api.NotificationService;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.GeneralAugMatchNotifPacketIn;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.general.extension.list.grouping.ExtensionList;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.general.extension.list.grouping.ExtensionListKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceived;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.packet.received.Match;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.PacketFields;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WirePacketFields;

/** Hands the packet-in notifications of OpenFlowPlugin to one listener. */
final class PacketIns implements NotificationService.Listener<PacketReceived> {
    private final PacketInListener listener;

    private PacketIns(final PacketInListener listener) {
        this.listener = requireNonNull(listener);
    }

    static OpenFlowSouthbound.Registration listen(final NotificationService notifications,
            final PacketInListener listener) {
        return notifications.registerListener(PacketReceived.class, new PacketIns(listener))::close;
    }

    @Override
    public void onNotification(final PacketReceived notification) {
        if (notification.getIngress() == null || notification.getPayload() == null) {
            // From a connection that is gone, or of no port: nobody could be answered.
            return;
        }
        final String node = notification.getIngress().getValue().firstKeyOf(Node.class).getId().getValue();
        final Map<MatchField, Long> fields = fields(notification.getMatch());
        listener.onPacketIn(new PacketIn(SwitchId.ofNodeId(node),
            fields.getOrDefault(MatchField.IN_PORT, 0L).intValue(),
            notification.getFlowCookie() == null ? 0 : notification.getFlowCookie().getValue().longValue(),
            notification.getTableId() == null ? 0 : notification.getTableId().getValue().toJava(),
            fields, notification.getPayload()));
    }

    private static Map<MatchField, Long> fields(final Match match) {
        final GeneralAugMatchNotifPacketIn extensions =
            match == null ? null : match.augmentation(GeneralAugMatchNotifPacketIn.class);
        final ExtensionList extension = extensions == null ? null
            : extensions.nonnullExtensionList().get(new ExtensionListKey(PacketFields.VALUE));
        final WirePacketFields fields = extension == null || extension.getExtension() == null ? null
            : extension.getExtension().augmentation(WirePacketFields.class);
        return fields == null ? Map.of() : WireMatch.fields(fields.getOfpMatch());
    }
}
