// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.southbound.openflow.wire.WireMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetMeterStatisticsOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.meter.statistics.reply.MeterStats;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WireMeterEntries;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * Reads the meters of a switch when asked. OpenFlowPlugin 0.16.3 has no RPC that answers with what a switch was told of
 * its meters, so the one for their counters asks for it too, when it names a meter that cannot be: see
 * {@link MeterRequestSerializer}. Safe for all threads; decodes on the thread of the connection.
 */
final class MeterReader {
    /** Meter id of a request that wants the configurations of all meters. */
    static final Uint32 CONFIGURATIONS = Uint32.ZERO;

    /** In what OpenFlowPlugin says of OFPMMFC_UNKNOWN_METER. */
    private static final String UNKNOWN = "UNKNOWNMETER";
    private static final Uint32 ALL = Uint32.MAX_VALUE;

    private final GetMeterStatistics statistics;

    MeterReader(final RpcConsumerRegistry rpcs) {
        statistics = rpcs.getRpc(GetMeterStatistics.class);
    }

    /** All meters by id, in ascending order; nothing for one that no {@link MeterSpec} can be. */
    CompletableFuture<Map<Integer, Optional<MeterSpec>>> read(final SwitchId source) {
        return ask(source, CONFIGURATIONS).thenApply(parts -> {
            final Map<Integer, Optional<MeterSpec>> meters = new TreeMap<>();
            parts.forEach(part -> meters.putAll(WireMeters.configurations(part)));
            return meters;
        });
    }

    /** What all meters have counted. */
    CompletableFuture<List<MeterCount>> counts(final SwitchId source) {
        return counts(source, ALL);
    }

    /** What some meters have counted; those that are not there are left out. */
    CompletableFuture<List<MeterCount>> counts(final SwitchId source, final Set<Integer> ids) {
        final List<CompletableFuture<List<MeterCount>>> asked = ids.stream().sorted().map(id ->
            counts(source, Uint32.valueOf(id)).exceptionally(MeterReader::unlessUnknown)).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(done ->
            asked.stream().flatMap(counts -> counts.join().stream()).toList());
    }

    private CompletableFuture<List<MeterCount>> counts(final SwitchId source, final Uint32 meter) {
        return ask(source, meter).thenApply(parts -> parts.stream()
            .flatMap(part -> WireMeters.counts(part, MeterCount::new).stream()).toList());
    }

    /** Of a meter that is not there the switch says OFPMMFC_UNKNOWN_METER. */
    private static List<MeterCount> unlessUnknown(final Throwable refusal) {
        if (!String.valueOf(refusal.getMessage()).contains(UNKNOWN)) {
            throw refusal instanceof CompletionException known ? known : new CompletionException(refusal);
        }
        return List.of();
    }

    private CompletableFuture<List<byte[]>> ask(final SwitchId source, final Uint32 meter) {
        return Messenger.toFuture(source, statistics.invoke(new GetMeterStatisticsInputBuilder()
            .setNode(Messenger.node(source)).setMeterId(new MeterId(meter)).build()))
            .thenApply(output -> parts(source, output));
    }

    private static List<byte[]> parts(final SwitchId source, final GetMeterStatisticsOutput output) {
        final List<byte[]> parts = new ArrayList<>();
        for (final MeterStats part : output.nonnullMeterStats().values()) {
            final WireMeterEntries entries = part.augmentation(WireMeterEntries.class);
            if (entries == null) {
                throw new SwitchException(source + ": meter statistics did not pass the controller's reader; "
                    + "check that the switch connects to port 6653");
            }
            parts.add(entries.getEntries());
        }
        return parts;
    }
}
