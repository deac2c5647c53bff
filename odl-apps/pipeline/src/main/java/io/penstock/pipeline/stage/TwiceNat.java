// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Priority;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Networks outside that hosts of a tenant see at other addresses (twice NAT: RFC 2663, section 4.3), by rewriting one
 * address in each direction. It is done between the chain and the translation of the source: lists and functions of the
 * tenant see what its hosts see; connection tracking, sessions and the backbone see what is there. So nothing of these
 * has to know.
 *
 * <p>An address means one network only: packets for the real addresses are dropped, since their answers would come from
 * the seen ones, and so are packets from a network that happens to have the seen addresses outside. Fragments are
 * dropped too: tracking cannot rewrite them, because it translates one address of a packet, and without it they would
 * be harmed (see {@link NatStage}). Sample flows: golden/twice.flows, tables chain_in and chain_out.
 */
final class TwiceNat {
    private TwiceNat() {
        // Only functions.
    }

    /**
     * Towards the backbone.
     *
     * @param border begins a flow where packets leave the chain, by priority and label
     * @param goOn finishes a flow
     */
    static void out(final TenantView view, final BiFunction<Integer, String, FlowSink.Draft> border,
            final Consumer<FlowSink.Draft> goOn) {
        for (final Tenant.Twice mapping : view.twice()) {
            final String to = "to " + mapping.seen() + ", which is translated to " + mapping.outside();
            goOn.accept(border.apply(Priority.prefix(mapping.seen().length()), to).ipv4()
                .when(MatchField.IP_FRAG, 0).when(MatchField.IP_DST, mapping.seen())
                .then(Action.replace(MatchField.IP_DST, mapping.outside())));
            border.apply(Priority.HIGH, "fragment " + to).ipv4().when(MatchField.IP_DST, mapping.seen()).drop();
            border.apply(Priority.HIGH, "to " + mapping.outside() + ", which is seen at " + mapping.seen()).ipv4()
                .when(MatchField.IP_DST, mapping.outside()).drop();
        }
    }

    /**
     * From the backbone.
     *
     * @param border begins a flow where packets enter the chain, by priority and label
     * @param hop begins the labels of flows that are a hop of the chain, by which its packets are counted
     * @param goOn finishes a flow
     */
    static void in(final TenantView view, final BiFunction<Integer, String, FlowSink.Draft> border, final String hop,
            final Consumer<FlowSink.Draft> goOn) {
        for (final Tenant.Twice mapping : view.twice()) {
            final String from = "from " + mapping.outside() + ", which is seen at " + mapping.seen();
            goOn.accept(border.apply(Priority.prefix(mapping.outside().length()), hop + from).ipv4()
                .when(MatchField.IP_FRAG, 0).when(MatchField.IP_SRC, mapping.outside())
                .then(Action.replace(MatchField.IP_SRC, mapping.seen())));
            guard(mapping, border, "fragment " + from);
        }
    }

    /**
     * From the backbone, where nothing enters the chain. The flows by which a mapping keeps packets out stay, so that
     * they come and go with the mapping alone, and not with a function that fails.
     *
     * @param label why nothing enters
     */
    static void shut(final TenantView view, final BiFunction<Integer, String, FlowSink.Draft> border,
            final String label) {
        view.twice().forEach(mapping -> guard(mapping, border, label));
    }

    private static void guard(final Tenant.Twice mapping, final BiFunction<Integer, String, FlowSink.Draft> border,
            final String label) {
        border.apply(Priority.HIGH, label).ipv4().when(MatchField.IP_SRC, mapping.outside()).drop();
        border.apply(Priority.HIGH, "from " + mapping.seen() + ", at which the tenant sees " + mapping.outside()).ipv4()
            .when(MatchField.IP_SRC, mapping.seen()).drop();
    }
}
