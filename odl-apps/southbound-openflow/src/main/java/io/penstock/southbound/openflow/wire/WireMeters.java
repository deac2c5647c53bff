// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.pipeline.flow.MeterSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What switches say of their meters (OpenFlow 1.3.5, OFPMP_METER and OFPMP_METER_CONFIG). */
public final class WireMeters {
    /** OFPMF_BURST, and the unit: OFPMF_KBPS, OFPMF_PKTPS. */
    private static final int BURST = 0x0004;
    private static final int KILOBITS = 0x0001;
    private static final int PACKETS = 0x0002;
    /** OFPMBT_DROP, and the bytes of such a band. */
    private static final int BAND_DROP = 1;
    private static final int BAND_LENGTH = 16;
    /** Bytes of a {@code struct ofp_meter_stats} between its id and its counters. */
    private static final int BEFORE_COUNTERS = 12;
    private static final int DURATION = 8;

    private WireMeters() {
        // Only functions.
    }

    /** What the body of an answer consists of. */
    public enum Body {
        /** {@code struct ofp_meter_stats}. */
        COUNTS(9, 0),
        /** {@code struct ofp_meter_config}. */
        CONFIGURATIONS(10, 4);

        private final int multipart;
        private final int idOffset;

        Body(final int multipart, final int idOffset) {
            this.multipart = multipart;
            this.idOffset = idOffset;
        }

        /** The number of such multipart messages. */
        public int multipart() {
            return multipart;
        }

        /** The first meter in a body, if there is one. */
        public OptionalInt firstId(final byte[] entries) {
            return entries.length < idOffset + Integer.BYTES ? OptionalInt.empty()
                : OptionalInt.of(Unpooled.wrappedBuffer(entries).getInt(idOffset));
        }
    }

    /** Writes the flags, the id and the only band of a meter. */
    static void encode(final ByteBuf out, final MeterSpec meter) {
        out.writeShort(flags(meter.unit())).writeInt(meter.id()).writeShort(BAND_DROP).writeShort(BAND_LENGTH)
            .writeInt((int) meter.rate()).writeInt((int) meter.burst()).writeZero(4);
    }

    /** Reads the body of one message with configurations; nothing for a meter that {@link MeterSpec} cannot be. */
    public static Map<Integer, Optional<MeterSpec>> configurations(final byte[] entries) {
        final ByteBuf in = Unpooled.wrappedBuffer(entries);
        final Map<Integer, Optional<MeterSpec>> meters = new LinkedHashMap<>();
        while (in.isReadable()) {
            final ByteBuf entry = in.readSlice(in.getUnsignedShort(in.readerIndex())).skipBytes(2);
            final int flags = entry.readUnsignedShort();
            final int id = entry.readInt();
            meters.put(id, meter(id, flags, entry));
        }
        return meters;
    }

    private static Optional<MeterSpec> meter(final int id, final int flags, final ByteBuf bands) {
        for (final MeterSpec.Unit unit : MeterSpec.Unit.values()) {
            if (flags == flags(unit) && bands.readableBytes() == BAND_LENGTH
                    && bands.readUnsignedShort() == BAND_DROP) {
                try {
                    return Optional.of(new MeterSpec(id, unit, bands.skipBytes(2).readUnsignedInt(),
                        bands.readUnsignedInt()));
                } catch (IllegalArgumentException e) {
                    // With values that no meter of ours can have.
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /**
     * What becomes of the counters of one meter.
     *
     * @param <T> what they are made to
     */
    @FunctionalInterface
    public interface Counters<T> {
        /** Of all that came to a meter, and of what its band dropped. */
        T of(int id, long packetsIn, long bytesIn, long packetsDropped, long bytesDropped);
    }

    /** Reads the body of one message with counters. */
    public static <T> List<T> counts(final byte[] entries, final Counters<T> make) {
        final ByteBuf in = Unpooled.wrappedBuffer(entries);
        final List<T> counts = new ArrayList<>();
        while (in.isReadable()) {
            final int id = in.readInt();
            final ByteBuf entry = in.readSlice(in.getUnsignedShort(in.readerIndex()) - Integer.BYTES);
            entry.skipBytes(BEFORE_COUNTERS);
            final long packets = entry.readLong();
            final long bytes = entry.readLong();
            entry.skipBytes(DURATION);
            long droppedPackets = 0;
            long droppedBytes = 0;
            while (entry.isReadable()) {
                droppedPackets += entry.readLong();
                droppedBytes += entry.readLong();
            }
            counts.add(make.of(id, packets, bytes, droppedPackets, droppedBytes));
        }
        return counts;
    }

    private static int flags(final MeterSpec.Unit unit) {
        return BURST | (unit == MeterSpec.Unit.KILOBITS ? KILOBITS : PACKETS);
    }
}
