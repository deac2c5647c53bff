// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What has to leave a switch. All flows of an owner go by its cookie, in one message; others one by one. */
final class Removal {
    private static final Set<Table> PLACES = EnumSet.of(Table.CLASSIFY, Table.ACCESS_LEARN, Table.EGRESS);

    private Removal() {
        // Only functions.
    }

    /**
     * Cookies of which every flow has to go: those of VRFs that leave the node, of what the switch learned in VRFs
     * whose attachments or subnets change other than by being new, and of sessions that copy forgotten connections or
     * those of services that are published no more.
     *
     * @param flushed VRFs whose connections are forgotten
     */
    static Set<Long> cookies(final PlanDiff diff, final Set<VrfId> goneVrfs, final Set<VrfId> flushed) {
        final Set<Long> cookies = new HashSet<>();
        goneVrfs.forEach(vrf -> cookies.add(Cookie.of(Cookie.Kind.TENANT, vrf)));
        goneVrfs.forEach(vrf -> cookies.add(Cookie.of(Cookie.Kind.LEARNED, vrf)));
        flushed.forEach(vrf -> cookies.add(Cookie.of(Cookie.Kind.SESSION, vrf)));
        Stream.concat(diff.excess().stream(), diff.changed().stream())
            .filter(flow -> PLACES.contains(flow.table()) && Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .forEach(flow -> cookies.add(Cookie.of(Cookie.Kind.LEARNED, Cookie.ownerId(flow.cookie()))));
        Stream.concat(diff.excess().stream(), diff.changed().stream())
            .filter(flow -> flow.table() == Table.NAT_IN_CHECK && Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .forEach(flow -> cookies.add(Cookie.of(Cookie.Kind.SESSION, Cookie.ownerId(flow.cookie()))));
        return cookies;
    }

    /** Flows that have to go and have none of these cookies. */
    static List<FlowSpec.Key> keys(final PlanDiff diff, final Set<Long> cookies) {
        return diff.excess().stream().filter(flow -> !cookies.contains(flow.cookie())).map(FlowSpec::key).toList();
    }
}
