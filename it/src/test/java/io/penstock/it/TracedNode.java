// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.plan.NodePlan;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Packet;
import io.penstock.testkit.TestRun;
import io.penstock.testkit.Trace;
import io.penstock.testkit.TraceAssert;
import io.penstock.testkit.Tracer;

/** A plan on a switch with simulated ports. */
final class TracedNode implements AutoCloseable {
    /** The states of connection tracking that a packet can have. */
    static final String NEW = "trk,new";
    static final String ESTABLISHED = "trk,est";
    static final String REPLY = "trk,est,rpl";
    static final String RELATED = "trk,rel,rpl";
    static final String INVALID = "trk,inv";

    private final TestRun run = new TestRun();
    private final FlowLoader loader;
    private final Tracer tracer;

    TracedNode(final NodePlan plan) {
        try {
            final OvsSandbox ovs = OvsSandbox.dummy(run);
            loader = FlowLoader.create(ovs, plan.bridge());
            loader.load(plan);
            tracer = new Tracer(ovs, plan);
        } catch (AssertionError e) {
            run.close();
            throw e;
        }
    }

    FlowLoader loader() {
        return loader;
    }

    /** What becomes of a packet; nothing is learned. */
    TraceAssert assertThat(final Packet packet, final String... states) {
        return TraceAssert.assertThat(tracer.trace(packet, states));
    }

    /** Sends a packet; the switch learns from it. */
    Trace send(final Packet packet) {
        return tracer.send(packet);
    }

    @Override
    public void close() {
        run.close();
    }
}
