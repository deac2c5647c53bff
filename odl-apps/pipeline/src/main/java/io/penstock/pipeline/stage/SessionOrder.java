// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static java.util.Map.entry;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Tells the agent of a node how to read samples and how to give VRFs sessions, so that it knows no number of the
 * pipeline by itself. Keys and meaning: ovs-config/penstock_node/agent_session_flows.py.
 */
public final class SessionOrder {
    private SessionOrder() {
        // Only functions.
    }

    /** The flow by which a VRF has sessions. */
    public static FlowSpec open(final VrfId vrf) {
        return open(vrf.number());
    }

    /** The same, of 0 for the parts that are alike for all. */
    private static FlowSpec open(final int vrf) {
        return new FlowSpec(Table.NAT_OPEN, Priority.NORMAL, List.of(Register.VRF.is(vrf)),
            List.of(Register.OPEN.load(1), new Action.Resubmit(Table.NAT_SESSIONS)), Optional.empty(),
            Cookie.of(Cookie.Kind.LEARNED, vrf), 0);
    }

    /** The order, the same for every node: numbers and texts by key. */
    public static Map<String, Object> content() {
        final FlowSpec open = open(0);
        return new TreeMap<>(Map.ofEntries(
            entry("collector-set", Constants.COLLECTOR_SET),
            entry("vrf", Register.VRF.range().toString()),
            entry("open-table", open.table().number()),
            entry("open-priority", open.priority()),
            entry("open-cookie", hex(open.cookie())),
            entry("open-actions", FlowText.NUMBERS.actions(open.actions())),
            entry("open-seconds", Constants.OPEN_SECONDS),
            entry("session-table", Table.NAT_SESSIONS.number()),
            entry("session-cookie", hex(Cookie.of(Cookie.Kind.SESSION, 0))),
            entry("most-sessions", Constants.SESSIONS_PER_NODE),
            entry("most-sessions-of-one", Constants.SESSIONS_PER_VRF),
            entry("sampled-of", Constants.SAMPLED_OF)));
    }

    private static String hex(final long number) {
        return "0x%x".formatted(number);
    }
}
