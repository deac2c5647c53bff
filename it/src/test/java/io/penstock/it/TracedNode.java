// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Packet;
import io.penstock.testkit.TestRun;
import io.penstock.testkit.Trace;
import io.penstock.testkit.TraceAssert;
import io.penstock.testkit.Tracer;
import java.util.List;

/** A plan on a switch with simulated ports, which knows the transit router on its uplink. */
final class TracedNode implements AutoCloseable {
    /** The states of connection tracking that a packet can have. */
    static final String NEW = "trk,new";
    static final String ESTABLISHED = "trk,est";
    static final String REPLY = "trk,est,rpl";
    static final String RELATED = "trk,rel,rpl";
    static final String INVALID = "trk,inv";
    /** What drops packets of that state. */
    static final String NOT_VALID = "invalid for conntrack";
    /** The two ends of the uplink. */
    static final String BACKBONE_MAC = Constants.backboneMac(1).toString();
    static final String TRANSIT_MAC = "02:00:00:00:00:99";
    /** A host behind the transit router. */
    static final String WORLD = "198.18.0.10";

    private final TestRun run = new TestRun();
    private final OvsSandbox ovs;
    private final FlowLoader loader;
    private final Tracer tracer;

    TracedNode(final NodePlan plan) {
        this(plan, fromTransit());
    }

    /**
     * A switch with a plan.
     *
     * @param fromTransit a frame of the transit router
     */
    TracedNode(final NodePlan plan, final Packet fromTransit) {
        try {
            ovs = OvsSandbox.dummy(run);
            loader = FlowLoader.create(ovs, plan.bridge());
            loader.load(plan);
            tracer = new Tracer(ovs, plan);
            tracer.send(fromTransit.with("arp,arp_op=2,arp_sha=" + TRANSIT_MAC
                + ",arp_spa=192.0.2.1,arp_tpa=192.0.2.2"));
        } catch (AssertionError e) {
            run.close();
            throw e;
        }
    }

    /** A frame of the transit router. */
    static Packet fromTransit() {
        return Packet.in("up0").ethernet(TRANSIT_MAC, BACKBONE_MAC);
    }

    FlowLoader loader() {
        return loader;
    }

    /** Deletes the flows of a VRF in a table, as another program may. */
    void delete(final Table table, final int vrf) {
        ovs.ofctl("del-flows", Constants.BRIDGE, "table=" + table.number() + ",reg0=" + vrf + "/0xffff");
    }

    /** What becomes of a packet; nothing is learned. */
    TraceAssert assertThat(final Packet packet, final String... states) {
        return TraceAssert.assertThat(tracer.trace(packet, states));
    }

    /** The same, with what connection tracking says in every pass. */
    TraceAssert assertEachPass(final Packet packet, final String... states) {
        return TraceAssert.assertThat(traceEachPass(packet, states));
    }

    /** The same, told. */
    Trace traceEachPass(final Packet packet, final String... states) {
        return tracer.traceEachPass(packet, List.of(states));
    }

    /** What becomes of a packet, told; nothing is learned. */
    Trace trace(final Packet packet, final String... states) {
        return tracer.trace(packet, states);
    }

    /** Sends a packet; the switch learns from it. */
    Trace send(final Packet packet) {
        return tracer.send(packet);
    }

    /** Has the switch learn hosts of acc0, which ask for their gateway. */
    void learn(final int vlan, final String gateway, final String... hosts) {
        for (final String host : hosts) {
            send(Packet.in("acc0", vlan).arpRequest(host, gateway));
        }
    }

    @Override
    public void close() {
        run.close();
    }
}
