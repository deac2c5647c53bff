// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.netty.buffer.ByteBuf;
import io.penstock.southbound.openflow.wire.WireMeters;
import java.util.Map;
import java.util.OptionalInt;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.multipart.reply.multipart.reply.body.MultipartReplyMeterStatsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStatsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.multipart.types.rev170112.multipart.reply.MultipartReplyBody;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WireMeterEntriesBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * Keeps what one message says about meters, their counters or their configurations, as bytes in a single entry.
 * Stateless; called on the threads of the connections.
 */
final class MeterEntriesDeserializer implements OFDeserializer<MultipartReplyBody> {
    private final WireMeters.Body body;

    MeterEntriesDeserializer(final WireMeters.Body body) {
        this.body = body;
    }

    @Override
    public MultipartReplyBody deserialize(final ByteBuf in) {
        final byte[] entries = new byte[in.readableBytes()];
        in.readBytes(entries);
        final OptionalInt first = body.firstId(entries);
        if (first.isEmpty()) {
            return new MultipartReplyMeterStatsBuilder().build();
        }
        // Answers come in several messages, and their entries must differ: so each is named after its first meter.
        final MeterStats entry = new MeterStatsBuilder()
            .setMeterId(new MeterId(Uint32.fromIntBits(first.getAsInt())))
            .addAugmentation(new WireMeterEntriesBuilder().setEntries(entries).build())
            .build();
        return new MultipartReplyMeterStatsBuilder().setMeterStats(Map.of(entry.key(), entry)).build();
    }
}
