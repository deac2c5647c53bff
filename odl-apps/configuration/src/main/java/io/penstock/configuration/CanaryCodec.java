// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.opendaylight.mdsal.common.api.LogicalDatastoreType.CONFIGURATION;

import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.CanaryResult.Probes;
import io.penstock.pipeline.allocation.CanaryResult.Side;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Canary;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Canary.Verdict;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.CanaryBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.CanaryKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.canary.NewVersionBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.canary.OldVersion;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.canary.OldVersionBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;

/** What was found out about new versions of functions, to and from its YANG form. */
final class CanaryCodec {
    private CanaryCodec() {
        // Only functions.
    }

    static SortedMap<String, List<CanaryResult>> read(final Allocations stored) {
        final SortedMap<String, List<CanaryResult>> results = new TreeMap<>();
        stored.nonnullCanary().values().stream()
            .sorted(Comparator.comparing(Canary::getDecided).reversed().thenComparing(Canary::getVersion))
            .forEach(each -> results.computeIfAbsent(each.getFunction(), name -> new ArrayList<>()).add(
                new CanaryResult(each.getVersion(),
                    CanaryResult.Verdict.valueOf(each.getVerdict().getName().toUpperCase(Locale.ROOT)),
                    each.getReason(), each.getDecided().toJava(), each.getMeasured().intValue(),
                    side(each.getOldVersion()), side(each.getNewVersion()))));
        results.replaceAll((name, list) -> List.copyOf(list));
        return Collections.unmodifiableSortedMap(results);
    }

    /** Puts into a transaction what differs. */
    static void write(final WriteOperations transaction, final SortedMap<String, List<CanaryResult>> from,
            final SortedMap<String, List<CanaryResult>> to) {
        if (from.equals(to)) {
            return;
        }
        final Map<CanaryKey, Canary> had = entries(from);
        final Map<CanaryKey, Canary> now = entries(to);
        now.forEach((key, entry) -> {
            if (!entry.equals(had.get(key))) {
                transaction.mergeParentStructurePut(CONFIGURATION, AllocationCodec.PATH.child(Canary.class, key),
                    entry);
            }
        });
        had.keySet().stream().filter(key -> !now.containsKey(key))
            .forEach(key -> transaction.delete(CONFIGURATION, AllocationCodec.PATH.child(Canary.class, key)));
    }

    static Map<CanaryKey, Canary> entries(final SortedMap<String, List<CanaryResult>> results) {
        final Map<CanaryKey, Canary> entries = new LinkedHashMap<>();
        results.forEach((function, list) -> list.forEach(result -> {
            final Canary entry = new CanaryBuilder().setFunction(function).setVersion(result.version())
                .setVerdict(Verdict.ofName(result.verdict().name().toLowerCase(Locale.ROOT)))
                .setReason(result.reason()).setDecided(Uint32.valueOf(result.decided()))
                .setMeasured(Uint32.valueOf(result.measuredSeconds())).setOldVersion(side(result.old()))
                .setNewVersion(new NewVersionBuilder(
                    (org.opendaylight.yang.gen.v1.urn.penstock.canary.rev261122.Side) side(result.canary())).build())
                .build();
            entries.put(entry.key(), entry);
        }));
        return entries;
    }

    private static OldVersion side(final Side side) {
        return new OldVersionBuilder().setInstance(side.instances())
            .setPacketsIn(new Counter64(Uint64.valueOf(side.packetsIn())))
            .setPacketsOut(new Counter64(Uint64.valueOf(side.packetsOut())))
            .setProbes(Uint32.valueOf(side.probes().sent())).setLost(Uint32.valueOf(side.probes().lost()))
            .setMedianRoundTrip(micros(side.probes().medianMicros()))
            .setHighRoundTrip(micros(side.probes().highMicros())).build();
    }

    private static Side side(final org.opendaylight.yang.gen.v1.urn.penstock.canary.rev261122.Side stored) {
        return new Side(stored.getInstance() == null ? List.of() : stored.getInstance(),
            stored.requirePacketsIn().getValue().longValue(),
            stored.requirePacketsOut().getValue().longValue(), new Probes(stored.requireProbes().longValue(),
                stored.requireLost().longValue(), measured(stored.getMedianRoundTrip()),
                measured(stored.getHighRoundTrip())));
    }

    /** The model has no round trip where none was measured. */
    private static @Nullable Uint32 micros(final long value) {
        return value == 0 ? null : Uint32.valueOf(value);
    }

    private static long measured(final @Nullable Uint32 stored) {
        return stored == null ? 0 : stored.longValue();
    }
}
