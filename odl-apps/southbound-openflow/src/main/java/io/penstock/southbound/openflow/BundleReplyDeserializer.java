// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.openflowjava.protocol.api.util.EncodeConstants;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.common.types.rev130731.ExperimenterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterMessage;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterMessageBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.WireDataBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * Reads a switch's answers to bundle control messages, of which only the transaction id counts. OpenFlowPlugin 0.16.3
 * finds no reader for them, since it compares experimenter ids as objects. Other experimenter messages are left to it.
 * Called on the threads of the connections.
 */
final class BundleReplyDeserializer implements OFDeserializer<ExperimenterMessage> {
    private static final int ONF = 0x4f4e4600;
    private static final int BUNDLE_CONTROL = 2300;
    /** Bytes of the transaction id, after which experimenter and type follow. */
    private static final int EXPERIMENTER_OFFSET = 4;

    private final OFDeserializer<ExperimenterMessage> standard;

    BundleReplyDeserializer(final OFDeserializer<ExperimenterMessage> standard) {
        this.standard = requireNonNull(standard);
    }

    @Override
    public ExperimenterMessage deserialize(final ByteBuf in) {
        final int start = in.readerIndex() + EXPERIMENTER_OFFSET;
        if (in.getInt(start) != ONF || in.getInt(start + Integer.BYTES) != BUNDLE_CONTROL) {
            return standard.deserialize(in);
        }
        final ExperimenterMessageBuilder reply = new ExperimenterMessageBuilder()
            .setVersion(EncodeConstants.OF_VERSION_1_3)
            .setXid(Uint32.fromIntBits(in.readInt()))
            .setExperimenter(new ExperimenterId(Uint32.fromIntBits(in.readInt())))
            .setExpType(Uint32.fromIntBits(in.readInt()))
            .setExperimenterDataOfChoice(new WireDataBuilder().build());
        in.skipBytes(in.readableBytes());
        return reply.build();
    }
}
