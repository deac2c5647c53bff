// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.DNAT;
import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.SNAT;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;

/**
 * How many connections a tenant may begin in a second. A packet first takes the translation of its connection, without
 * commit: that of a known connection is translated in this one pass, as without a limit. What conntrack does not know
 * passes a meter, and a second pass that begins the connection: the limit is one on entries that are made. What comes
 * from the backbone is asked about in any case. Sample flows: golden/two-tenants.flows, tables nat_translate and
 * nat_begin.
 */
final class NatLimit {
    private NatLimit() {
        // Only functions.
    }

    static void planNode(final FlowSink sink) {
        sink.flow(Table.NAT_BEGIN, Priority.MISS, "a known connection").then(new Action.Resubmit(Table.NAT_OUT_CHECK))
            .end();
    }

    static void planTenant(final TenantView view, final FlowSink sink) {
        if (view.limitNew().isEmpty()) {
            return;
        }
        translate(view, sink, Priority.GUARD, "translate if the connection is known", List.of(), Optional.empty());
        if (view.hasSourceNat()) {
            for (final Alg alg : view.algs()) {
                // The ALG has to see every packet of its control connections, in the pass that translates them.
                for (final MatchField port : List.of(MatchField.TCP_SRC, MatchField.TCP_DST)) {
                    translate(view, sink, Priority.FIRST, "translate if the connection is known, ALG " + alg,
                        List.of(FieldMatch.of(MatchField.IP_PROTO, IpProtocol.TCP), FieldMatch.of(port, alg.port())),
                        Optional.of(alg));
                }
            }
        }
        // One that is not answered yet is new as well, but translated; one that an ALG expects has a mark already.
        sink.flow(Table.NAT_BEGIN, Priority.NORMAL, "new connection")
            .when(view.isVrf(), state(TRK | NEW, INV | SNAT | DNAT)).then(view.limitNew())
            .then(new Action.Resubmit(Table.NAT_TRANSLATE)).end();
    }

    private static void translate(final TenantView view, final FlowSink sink, final int priority, final String label,
            final List<FieldMatch> packets, final Optional<Alg> alg) {
        sink.flow(Table.NAT_TRANSLATE, priority, label).when(view.isVrf()).ipv4().when(packets)
            .when(Register.LOOKED_UP.is(0)).then(Register.LOOKED_UP.load(1))
            .then(ConnTracking.known(Table.NAT_BEGIN, alg)).end();
    }
}
