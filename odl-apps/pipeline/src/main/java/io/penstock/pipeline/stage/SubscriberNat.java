// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.newToBackbone;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Subscribers who share public addresses by blocks of ports. */
final class SubscriberNat {
    private SubscriberNat() {
        // Only functions.
    }

    /** Blocks that follow from the configuration (RFC 7422). */
    static void deterministic(final NodeView node, final TenantView view,
            final Tenant.Deterministic mapping, final FlowSink sink) {
        PublicAddresses.tracked(node, view, mapping.outside(), sink);
        final Prefix inside = mapping.inside();
        for (long index = 0; index < inside.size(); index++) {
            final Ipv4 subscriber = inside.address().plus(index);
            sink.flow(Table.NAT_TRANSLATE, Priority.NORMAL, "subscriber of " + inside).when(view.isVrf()).ipv4()
                .when(MatchField.IP_SRC, subscriber)
                .then(newToBackbone(tracked(mapping.blockOf(subscriber), mapping.independent()))).end();
            if (mapping.independent()) {
                IndependentNat.subscriber(view, subscriber, mapping.blockOf(subscriber), sink);
            }
        }
    }

    /**
     * A new connection tries the blocks of its subscriber one after the other: Open vSwitch leaves a packet as it was
     * when no port is free. Who has no block, or none that is not full, is reported to the controller; the packet is
     * lost, and its sender tries again.
     */
    static void onDemand(final NodeView node, final TenantView view, final Tenant.PortBlocks mapping,
            final FlowSink sink) {
        final Prefix inside = mapping.inside();
        PublicAddresses.tracked(node, view, mapping.outside(), sink);
        sink.flow(Table.NAT_TRANSLATE, Priority.NORMAL, "first block for a subscriber of " + inside)
            .when(view.isVrf()).ipv4().when(MatchField.IP_SRC, inside).then(requestOfBlock(view)).end();
        for (final int protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
            for (int full = 0; full < mapping.mostBlocks(); full++) {
                final boolean last = full == mapping.mostBlocks() - 1;
                final FlowSink.Draft flow = untranslated(view, sink, Priority.NORMAL, protocol, full,
                    last ? "every port block of a subscriber of " + inside + " is full"
                        : "one more block for a subscriber of " + inside).when(MatchField.IP_SRC, inside);
                if (last) {
                    flow.drop();
                } else {
                    flow.then(requestOfBlock(view)).end();
                }
            }
        }
        final Map<Ipv4, Integer> blocks = new HashMap<>();
        for (final Allocations.Block block : view.blocks()) {
            if (block.isOf(mapping)) {
                planBlock(view, block, blocks.merge(block.subscriber(), 1, Integer::sum) - 1, mapping.independent(),
                    sink);
            }
        }
    }

    /**
     * Plans a block.
     *
     * @param index how many blocks its subscriber has before this one
     * @param independent whether the first block has mappings that do not depend on the destination
     */
    private static void planBlock(final TenantView view, final Allocations.Block block, final int index,
            final boolean independent, final FlowSink sink) {
        final String label = "block " + (index + 1) + " of " + block.subscriber();
        final AddressPorts whole = block.addressPorts();
        final List<Action> translate = newToBackbone(tracked(whole, independent && index == 0));
        if (index == 0) {
            if (independent) {
                IndependentNat.subscriber(view, block.subscriber(), whole, sink);
            }
            sink.flow(Table.NAT_TRANSLATE, Priority.HIGH, label).when(view.isVrf()).ipv4()
                .when(MatchField.IP_SRC, block.subscriber()).then(translate).end();
            return;
        }
        for (final int protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
            untranslated(view, sink, Priority.HIGH, protocol, index - 1, label)
                .when(MatchField.IP_SRC, block.subscriber()).then(Register.BLOCK.load(index)).then(translate).end();
        }
    }

    /** The ports that connection tracking may use: the lower half, where mappings of other kinds have the upper one. */
    private static Action.Nat.Source tracked(final AddressPorts block, final boolean half) {
        final int low = block.ports().low();
        final int high = block.ports().high();
        return new Action.Nat.Source(block.address(),
            Optional.of(new Action.Nat.Ports(low, half ? (low + high) / 2 : high)));
    }

    /** A new connection for which no port was free. */
    private static FlowSink.Draft untranslated(final TenantView view, final FlowSink sink, final int priority,
            final int protocol, final int full, final String label) {
        return sink.flow(Table.NAT_OUT_CHECK, priority, label)
            .when(view.isVrf(), state(TRK | NEW, INV), FieldMatch.of(MatchField.CT_MARK, 0))
            .when(Register.COPY.is(0)).when(Register.BLOCK.is(full)).ipv4().when(MatchField.IP_PROTO, protocol);
    }

    private static List<Action> requestOfBlock(final TenantView view) {
        return List.of(view.meter(TenantMeter.BLOCK_REQUESTS), new Action.Controller(Constants.PACKET_IN_BYTES));
    }
}
