// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.netty.buffer.ByteBuf;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFSerializer;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.multipart.request.multipart.request.body.MultipartRequestMeterStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * Writes the body of a request for the counters of meters ({@code struct ofp_meter_multipart_request}). When it is for
 * {@link MeterReader#CONFIGURATIONS} it becomes one for the configurations of all, which has the same body. Stateless;
 * called on the threads of the connections.
 */
final class MeterRequestSerializer implements OFSerializer<MultipartRequestMeterStats> {
    private static final int MULTIPART_METER_CONFIG = 10;
    /** Where the kind of request is before the body: it is followed by flags and padding. */
    private static final int TYPE_OFFSET = -8;
    /** OFPM_ALL. */
    private static final int ALL = -1;

    @Override
    public void serialize(final MultipartRequestMeterStats request, final ByteBuf out) {
        final MeterId id = request.getStatMeterId();
        final Uint32 meter = id == null ? Uint32.MAX_VALUE : id.getValue();
        final boolean configurations = MeterReader.CONFIGURATIONS.equals(meter);
        if (configurations) {
            out.setShort(out.writerIndex() + TYPE_OFFSET, MULTIPART_METER_CONFIG);
        }
        out.writeInt(configurations ? ALL : meter.intValue()).writeZero(4);
    }
}
