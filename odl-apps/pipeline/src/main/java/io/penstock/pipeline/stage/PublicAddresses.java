// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.EST;
import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.REL;
import static io.penstock.pipeline.stage.ConnTracking.RPL;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.state;
import static io.penstock.pipeline.stage.ConnTracking.translated;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;

/** The ways in and out of public addresses. */
final class PublicAddresses {
    private PublicAddresses() {
        // Only functions.
    }

    /** Public addresses that are translated to by connection tracking. */
    static void tracked(final NodeView node, final TenantView view, final Prefix addresses, final FlowSink sink) {
        sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "to the public address")
            .when(MatchField.ETH_DST, node.backboneMac()).ipv4().when(MatchField.IP_DST, addresses)
            .then(Crossing.toTenant(view)).go(Table.NAT_IN);
        leave(view, addresses, sink);
        // A session copies the source that the connection began with, so it has to have begun inside. What an ALG
        // expected shows that of its control connection.
        NatSessions.learn(view, IpProtocol.UDP,
            translated(view, sink, "learn a session", state(TRK, INV | RPL | REL), addresses));
        NatSessions.learn(view, IpProtocol.TCP,
            translated(view, sink, "learn a session", state(TRK | EST, INV | RPL | REL), addresses));
    }

    /** What was given one of these addresses goes on to the backbone. */
    static void leave(final TenantView view, final Prefix address, final FlowSink sink) {
        translated(view, sink, "translated", state(TRK, INV), address).when(Register.COPY.is(0))
            .then(Crossing.toBackbone()).go(Table.BACKBONE_ROUTE);
    }
}
