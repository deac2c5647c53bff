// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Mtu;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Looks for packets of a VRF that are longer than what their way out takes. The datapath does what follows such a look
 * packet by packet, so it is taken only where a way out takes less than some way in. It is taken before translation, so
 * that the sender is told of the packet that it sent (RFC 5508, section 4). Sample flows: golden/narrow.flows.
 */
final class PathMtu {
    private final TenantView view;
    /** Of the uplinks; what a packet of the VRF can be when there is none. */
    private final int least;
    private final int most;
    private final int mostInside;

    PathMtu(final NodeView node, final TenantView view) {
        this.view = view;
        mostInside = IntStream.concat(view.tenant().subnets().stream().mapToInt(Tenant.Subnet::mtu),
            view.tenant().ipv6().subnets().stream().mapToInt(PathMtu::mtu)).max().orElse(Mtu.DEFAULT);
        final List<Integer> uplinks = view.hasListedWays()
            ? node.uplinks().stream().map(Backbone.Interface::mtu).toList() : List.of();
        least = uplinks.stream().min(Integer::compare).orElse(mostInside);
        most = uplinks.stream().max(Integer::compare).orElse(mostInside);
    }

    /** Looks at what goes to the backbone, by whichever uplink. */
    List<Action> toBackbone() {
        return least < mostInside ? look(least) : List.of();
    }

    /** Looks at what goes to a subnet. */
    List<Action> to(final Tenant.Subnet subnet) {
        return to(subnet.mtu());
    }

    /** Looks at what goes to a subnet. */
    List<Action> to(final Ipv6Side.Subnet subnet) {
        return to(mtu(subnet));
    }

    private List<Action> to(final int mtu) {
        return isNarrow(mtu) ? look(mtu) : List.of();
    }

    /** What its hosts are told that the link takes; the leaf may say more than any device does. */
    private static int mtu(final Ipv6Side.Subnet subnet) {
        return Math.min(subnet.advertisement().mtu().orElse(Mtu.DEFAULT), Mtu.MOST);
    }

    /** Whether lengths of packets of the VRF are looked at. */
    boolean looks() {
        return least < mostInside || looksInside();
    }

    /**
     * Tells the senders of what was found. These flows are looked up anew before anything counts or meters what was
     * longer: the switch translates both outcomes of a look for each packet, and so counts each in the flows of both.
     */
    void plan(final FlowSink sink) {
        Stream.concat(least < mostInside ? Stream.of(Table.CHAIN_OUT) : Stream.empty(),
            looksInside() ? Stream.of(Table.NEIGHBOUR_LOOKUP) : Stream.empty())
            .forEach(table -> etherTypes().forEach(type -> NotForwarded.tell(
                sink.flow(table, Priority.FIRST, "compared with the MTU of the egress link")
                    .when(view.isVrf(), Register.TOO_BIG.is(1)).when(MatchField.ETH_TYPE, type), ErrorKind.TOO_BIG,
                Replies.lookAgain(type))));
    }

    private boolean looksInside() {
        return view.tenant().subnets().stream().anyMatch(subnet -> isNarrow(subnet.mtu()))
            || view.tenant().ipv6().subnets().stream().anyMatch(subnet -> isNarrow(mtu(subnet)));
    }

    private List<Integer> etherTypes() {
        return Stream.concat(view.tenant().subnets().isEmpty() ? Stream.empty() : Stream.of(EtherType.IPV4),
            view.hasIpv6() ? Stream.of(EtherType.IPV6) : Stream.empty()).toList();
    }

    private boolean isNarrow(final int mtu) {
        return mtu < Math.max(mostInside, most);
    }

    private static List<Action> look(final int mtu) {
        return List.of(Register.ERROR_MTU.load(mtu),
            new Action.CheckPktLarger(mtu + Constants.ETHERNET_BYTES, Register.TOO_BIG.range()));
    }
}
