// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.southbound.openflow.wire.WireFlow;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatistics;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatisticsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.direct.statistics.rev160511.GetFlowStatisticsOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.statistics.rev130819.flow.and.statistics.map.list.FlowAndStatisticsMapList;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.WireFlowEntries;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;

/** Reads the flows of a switch when asked. Safe for all threads; decodes on the thread of the connection. */
final class FlowReader {
    private static final long EXACT = -1;

    private final GetFlowStatistics statistics;

    FlowReader(final RpcConsumerRegistry rpcs) {
        statistics = rpcs.getRpc(GetFlowStatistics.class);
    }

    CompletableFuture<FlowDump> read(final SwitchId source, final long cookie, final long cookieMask) {
        return ask(source, new GetFlowStatisticsInputBuilder()
            .setCookie(new FlowCookie(Uint64.fromLongBits(cookie)))
            .setCookieMask(new FlowCookie(Uint64.fromLongBits(cookieMask))));
    }

    CompletableFuture<FlowDump> readTable(final SwitchId source, final int table) {
        return ask(source, new GetFlowStatisticsInputBuilder().setTableId(Uint8.valueOf(table)));
    }

    CompletableFuture<FlowDump> readTable(final SwitchId source, final int table, final long cookie) {
        return ask(source, new GetFlowStatisticsInputBuilder().setTableId(Uint8.valueOf(table))
            .setCookie(new FlowCookie(Uint64.fromLongBits(cookie)))
            .setCookieMask(new FlowCookie(Uint64.fromLongBits(EXACT))));
    }

    private CompletableFuture<FlowDump> ask(final SwitchId source, final GetFlowStatisticsInputBuilder question) {
        return Messenger.toFuture(source, statistics.invoke(question.setNode(Messenger.node(source)).build()))
            .thenApply(output -> dump(source, output));
    }

    private static FlowDump dump(final SwitchId source, final GetFlowStatisticsOutput output) {
        final List<InstalledFlow> flows = new ArrayList<>();
        final List<ForeignFlow> foreign = new ArrayList<>();
        for (final FlowAndStatisticsMapList part : output.nonnullFlowAndStatisticsMapList()) {
            final WireFlowEntries entries = part.augmentation(WireFlowEntries.class);
            if (entries == null) {
                throw new SwitchException(source + ": flow statistics did not pass the controller's reader; "
                    + "check that the switch connects to port 6653");
            }
            for (final WireFlow flow : WireFlow.decode(entries.getEntries())) {
                flow.spec().ifPresentOrElse(
                    spec -> flows.add(new InstalledFlow(spec, flow.packets(), flow.bytes(), flow.ageSeconds())),
                    () -> foreign.add(new ForeignFlow(flow.table(), flow.priority(), flow.cookie(),
                        HexFormat.of().formatHex(flow.match()), flow.problem(), flow.packets(), flow.bytes(),
                        flow.key())));
            }
        }
        return new FlowDump(flows, foreign);
    }
}
