// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapListBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.multipart.reply.multipart.reply.body.MultipartReplyFlowStatsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.multipart.types.rev170112.multipart.reply.MultipartReplyBody;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WireFlowEntriesBuilder;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint8;

/**
 * Keeps the flow statistics of one message as bytes, in a single entry that stands for all flows in it. So no unknown
 * flow can spoil an answer, and OpenFlowPlugin's flow registry, which remembers every flow that it was ever shown, sees
 * only one. Stateless; called on the threads of the connections.
 */
final class FlowEntriesDeserializer implements OFDeserializer<MultipartReplyBody> {
    @Override
    public MultipartReplyBody deserialize(final ByteBuf in) {
        final byte[] entries = new byte[in.readableBytes()];
        in.readBytes(entries);
        return new MultipartReplyFlowStatsBuilder()
            .setFlowAndStatisticsMapList(List.of(new FlowAndStatisticsMapListBuilder()
                // What the flow registry insists on.
                .setTableId(Uint8.ZERO)
                .setPriority(Uint16.ZERO)
                .setMatch(new MatchBuilder().build())
                .addAugmentation(new WireFlowEntriesBuilder().setEntries(entries).build())
                .build()))
            .build();
    }
}
