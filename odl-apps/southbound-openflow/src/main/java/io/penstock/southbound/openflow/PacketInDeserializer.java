// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.netty.buffer.ByteBuf;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.southbound.openflow.wire.WireMatch;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.openflowjava.protocol.api.util.EncodeConstants;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.GeneralAugMatchPacketInMessageBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.general.extension.grouping.ExtensionBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.general.rev140714.general.extension.list.grouping.ExtensionListBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.InvalidTtl;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.NoMatch;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketInMessage;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketInMessageBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketInReason;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.SendToController;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.packet.in.message.MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.table.types.rev131026.TableId;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.PacketFields;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WirePacketFieldsBuilder;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;

/**
 * Reads packet-ins and keeps their match as bytes, in a match extension. OpenFlowPlugin's own reader loses a packet
 * when its match has a field that it does not know, such as those of connection tracking. Stateless; called on the
 * threads of the connections.
 */
final class PacketInDeserializer implements OFDeserializer<PacketInMessage> {
    /** OFPR_NO_MATCH. */
    private static final int NO_MATCH = 0;
    /** OFPR_INVALID_TTL. */
    private static final int INVALID_TTL = 2;
    /** Bytes between the match and the frame. */
    private static final int PADDING = 2;

    @Override
    public PacketInMessage deserialize(final ByteBuf in) {
        final PacketInMessageBuilder message = new PacketInMessageBuilder()
            .setVersion(EncodeConstants.OF_VERSION_1_3)
            .setXid(Uint32.fromIntBits(in.readInt()));
        // Buffer id and length: the frame is here.
        in.skipBytes(6);
        message.setPacketInReason(reason(in.readUnsignedByte()))
            .setTableId(new TableId(Uint8.fromByteBits(in.readByte())))
            .setFlowCookie(new FlowCookie(Uint64.fromLongBits(in.readLong())));
        final byte[] match = WireMatch.take(in);
        final Long inPort = WireMatch.fields(match).get(MatchField.IN_PORT);
        final MatchBuilder fields = new MatchBuilder()
            .addAugmentation(new GeneralAugMatchPacketInMessageBuilder()
                .setExtensionList(BindingMap.of(new ExtensionListBuilder()
                    .setExtensionKey(PacketFields.VALUE)
                    .setExtension(new ExtensionBuilder()
                        .addAugmentation(new WirePacketFieldsBuilder().setOfpMatch(match).build())
                        .build())
                    .build()))
                .build());
        if (inPort != null) {
            // The plugin makes the full name of the port from this.
            fields.setInPort(new NodeConnectorId(inPort.toString()));
        }
        in.skipBytes(PADDING);
        final byte[] frame = new byte[in.readableBytes()];
        in.readBytes(frame);
        return message.setMatch(fields.build()).setPayload(frame).build();
    }

    private static PacketInReason reason(final int reason) {
        return switch (reason) {
            case NO_MATCH -> NoMatch.VALUE;
            case INVALID_TTL -> InvalidTtl.VALUE;
            default -> SendToController.VALUE;
        };
    }
}
