// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.regex.Pattern;

/** The datapath of a node: what it caches, and how often it looks a packet up. Not for several threads. */
public final class Datapath {
    private static final Pattern LOOKUPS = Pattern.compile("^ +Datapath passes: +([0-9]+)", Pattern.MULTILINE);
    private static final String PURGE = "revalidator/purge";

    private final OvsSandbox ovs;

    public Datapath(final OvsSandbox ovs) {
        this.ovs = ovs;
    }

    /** Makes it as if no packet had come yet. What connections and flows of the switch have been learned stays. */
    public void clear() {
        Await.until("the cached flows are gone", () -> {
            ovs.appctl(PURGE);
            return flows();
        }, flows -> flows.count() == 0);
        ovs.appctl("dpif-netdev/pmd-stats-clear");
    }

    /** Drops what it has cached, as a node's agent does: one purge leaves what a revalidator holds at that moment. */
    public void purge() {
        ovs.appctl(PURGE);
        ovs.appctl("revalidator/wait");
        ovs.appctl(PURGE);
    }

    /** What it has cached. */
    public DatapathFlows flows() {
        return DatapathFlows.parse(ovs.appctl("dpctl/dump-flows", "-m"));
    }

    /** How often packets were looked up since it was cleared: once when they came, and after each recirculation. */
    public long lookups() {
        return LOOKUPS.matcher(ovs.appctl("dpif-netdev/pmd-perf-show")).results()
            .mapToLong(count -> Long.parseLong(count.group(1))).sum();
    }
}
