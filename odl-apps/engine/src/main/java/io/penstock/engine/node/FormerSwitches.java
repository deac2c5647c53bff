// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the flows from switches of nodes that were removed from the configuration: no plan tells what they forward, and
 * the addresses of their tenants belong to others. Safe for all threads; never blocks.
 */
public final class FormerSwitches {
    private static final Logger LOG = LoggerFactory.getLogger(FormerSwitches.class);
    private static final long ANSWER_SECONDS = 60;

    private final OpenFlowSouthbound southbound;

    /** For the switches of a southbound. */
    public FormerSwitches(final OpenFlowSouthbound southbound) {
        this.southbound = requireNonNull(southbound);
    }

    /** Empties all connected switches that are those of former nodes. */
    public void empty(final Desired desired) {
        southbound.connected().forEach(connected -> empty(desired, connected));
    }

    /** Empties a connected switch if it is that of a former node. */
    public void empty(final Desired desired, final SwitchId connected) {
        if (!desired.allocations().wasOfNode(connected.datapathId())) {
            return;
        }
        southbound.readFlows(connected).thenCompose(dump -> {
            LOG.warn("Switch {} is that of a node which was removed: its {} flows are removed", connected,
                dump.flows().size() + dump.foreign().size());
            return southbound.apply(connected, new FlowChanges(Set.of(),
                dump.flows().stream().map(InstalledFlow::flow).map(FlowSpec::key).toList(), dump.foreign(),
                List.of()));
        }).orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).whenComplete((done, error) -> {
            if (error != null) {
                LOG.warn("Switch {} of a removed node keeps its flows until it connects again", connected, error);
            }
        });
    }
}
