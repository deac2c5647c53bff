// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.openflowjava.protocol.api.util.EncodeConstants;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ErrorMessage;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ErrorMessageBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflowplugin.extension.onf.rev170124.OnfExperimenterErrorCode;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * Reads the errors of experimenters, those of bundles among them. OpenFlowPlugin 0.16.3 finds no reader for them, since
 * it compares experimenter ids as objects, and so never learns that a bundle failed. Other errors are left to it.
 * Called on the threads of the connections.
 */
final class ExperimenterErrorDeserializer implements OFDeserializer<ErrorMessage> {
    /** OFPET_EXPERIMENTER. */
    private static final int EXPERIMENTER = 0xffff;
    private static final int ONF = 0x4f4e4600;
    /** Bytes of the transaction id, after which type and code follow. */
    private static final int TYPE_OFFSET = 4;

    private final OFDeserializer<ErrorMessage> standard;

    ExperimenterErrorDeserializer(final OFDeserializer<ErrorMessage> standard) {
        this.standard = requireNonNull(standard);
    }

    @Override
    public ErrorMessage deserialize(final ByteBuf in) {
        if (in.getUnsignedShort(in.readerIndex() + TYPE_OFFSET) != EXPERIMENTER) {
            return standard.deserialize(in);
        }
        final ErrorMessageBuilder error = new ErrorMessageBuilder()
            .setVersion(EncodeConstants.OF_VERSION_1_3)
            .setXid(Uint32.fromIntBits(in.readInt()))
            .setType(Uint16.fromShortBits(in.readShort()));
        final int code = in.readUnsignedShort();
        final int experimenter = in.readInt();
        final byte[] data = new byte[in.readableBytes()];
        in.readBytes(data);
        return error.setCode(Uint16.valueOf(code))
            .setTypeString("EXPERIMENTER")
            .setCodeString(name(experimenter, code))
            .setData(data)
            .build();
    }

    private static String name(final int experimenter, final int code) {
        final OnfExperimenterErrorCode known =
            experimenter == ONF ? OnfExperimenterErrorCode.forValue(code) : null;
        return known == null ? "0x%08x/%d".formatted(experimenter, code) : known.getName();
    }
}
