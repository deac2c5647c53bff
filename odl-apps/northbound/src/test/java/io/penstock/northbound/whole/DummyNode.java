// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Documents;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.TestRun;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A node whose switch has a dummy datapath. */
final class DummyNode {
    private static final List<String> LEARNED = Stream.of(Cookie.Kind.LEARNED, Cookie.Kind.SESSION)
        .map(kind -> "cookie=0x%x".formatted(Cookie.of(kind, 0) >>> Integer.SIZE)).toList();

    private static final Pattern ZONE = Pattern.compile("[{ ]([0-9]+)=");

    private final String name;
    private final OvsSandbox ovs;
    private final DummyAgent agent;

    /** Starts its switch and announces it to a controller. */
    DummyNode(final TestRun run, final int ovsdbPort) {
        name = run.name();
        ovs = OvsSandbox.dummy(run);
        agent = run.closing(new DummyAgent(ovs.directory().resolve("db.sock")));
        announce("");
        ovs.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + name,
            "external_ids:" + NodeKeys.PROTOCOL + "=" + NodeKeys.VERSION,
            "external_ids:" + NodeKeys.VHOST_DIR + "=\"" + run.directory().resolve("vhost") + "\"", "--",
            "--id=@m", "create", "Manager", "target=\"tcp:127.0.0.1:" + ovsdbPort + "\"", "max_backoff=1000", "--",
            "set", "Open_vSwitch", ".", "manager_options=@m");
    }

    /** Announces its ports, and more of them as in JSON. */
    void announce(final String more) {
        final String ports = """
            [{"name":"%s","role":"access","type":"system"},{"name":"%s","role":"uplink","type":"system"}%s]"""
            .formatted(Documents.ACCESS, Documents.UPLINK, more).strip().replace("\"", "\\\"");
        ovs.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PORTS + "=\"" + ports + "\"");
    }

    String name() {
        return name;
    }

    OvsSandbox ovs() {
        return ovs;
    }

    /** What takes its orders. */
    DummyAgent agent() {
        return agent;
    }

    /** Flows the switch has, one a line, without counters; what it has learned is left out. */
    List<String> flows() {
        return allFlows().stream().filter(line -> LEARNED.stream().noneMatch(line::contains)).toList();
    }

    /** Flows a VRF has, learned ones too. */
    List<String> flowsOf(final int vrf) {
        final List<String> cookies = Stream.of(Cookie.Kind.TENANT, Cookie.Kind.LEARNED, Cookie.Kind.SESSION)
            .map(kind -> "cookie=0x%x ".formatted(Cookie.of(kind, vrf))).toList();
        return allFlows().stream().filter(line -> cookies.stream().anyMatch(line::contains)).toList();
    }

    /** Conntrack zones with timeouts in the database. */
    List<Integer> zones() {
        return ZONE.matcher(ovs.vsctl("--columns=ct_zones", "list", "Datapath")).results()
            .map(match -> Integer.valueOf(match.group(1))).toList();
    }

    /** Has the agent count connections of a zone. */
    void count(final int zone, final long connections) {
        final String row = Pattern.compile("[{ ]" + zone + "=([0-9a-f-]+)")
            .matcher(ovs.vsctl("--columns=ct_zones", "list", "Datapath")).results().findFirst().orElseThrow().group(1);
        ovs.vsctl("set", "CT_Zone", row, "external_ids:" + NodeKeys.SESSIONS_COUNT + "=" + connections);
    }

    private List<String> allFlows() {
        return new FlowLoader(ovs, Constants.BRIDGE).dump();
    }

    /** Whether packets of a VLAN are told to be a tenant's. */
    boolean isClassified(final int vlan) {
        return flows().stream().anyMatch(flow -> flow.contains("dl_vlan=" + vlan + " "));
    }
}
