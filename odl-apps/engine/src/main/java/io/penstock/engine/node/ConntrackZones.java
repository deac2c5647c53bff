// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which connections a change makes meaningless. */
final class ConntrackZones {
    private ConntrackZones() {
        // Only functions.
    }

    /**
     * VRFs whose tenant has left the node, so that nobody inherits its connections, and VRFs whose translation, of
     * sources or of networks that are seen at other addresses, is another now or has ended. Packets of a connection
     * with the old address would be dropped until it times out, and a session would go on to send them: it looks at no
     * flow of its tenant.
     */
    static Set<VrfId> toFlush(final NodePlan planned, final PlanDiff diff) {
        final Set<VrfId> vrfs = planned.vrfs();
        return Stream.of(
            diff.excess().stream().filter(flow -> isSourceNat(flow) || guardsTwiceNat(flow) || beginsMappings(flow)
                || Cookie.vrf(flow.cookie()).filter(vrfs::contains).isEmpty()),
            diff.changed().stream().filter(flow -> isSourceNat(flow) || isTwiceNat(flow)),
            diff.missing().stream().filter(ConntrackZones::beginsMappings))
            .flatMap(flows -> flows).filter(flow -> Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .flatMap(flow -> Cookie.vrf(flow.cookie()).stream()).collect(Collectors.toSet());
    }

    /**
     * Zones of access lists that are tracked from now on, or no more: those of tenants that have left the node too.
     * What is there is from a time when other lists decided. A list that changes is no reason: each packet is held
     * against one.
     */
    static Set<Integer> ofLists(final PlanDiff diff) {
        return Stream.concat(diff.excess().stream(), diff.missing().stream())
            .filter(flow -> flow.table() == Table.TENANT_ACL_TRACK && Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .flatMap(flow -> Cookie.vrf(flow.cookie()).stream()).map(VrfId::aclZone).collect(Collectors.toSet());
    }

    /** Connections of the lists of VRFs that leave the node, and of which the switch was to keep what it has. */
    static Set<TrackedConnections> ofKept(final NodePlan installed, final Set<VrfId> gone) {
        return installed.keptVrfs().stream().filter(gone::contains).map(VrfId::aclZone)
            .map(TrackedConnections::ofZone).collect(Collectors.toSet());
    }

    /** Zones of the chains of VRFs that have left the node: who gets the id next would inherit their instances. */
    static Set<Integer> ofChains(final NodePlan planned, final Set<VrfId> flushed) {
        final Set<VrfId> vrfs = planned.vrfs();
        return flushed.stream().filter(vrf -> vrf.isTag() && !vrfs.contains(vrf))
            .map(VrfId::chainZone).collect(Collectors.toSet());
    }

    /**
     * Connections of port blocks that a switch has and its plan has no more, by their public address. The controller
     * ended between storing that a block is gone and saying so to the switch, or did the first while the node was away.
     */
    static Set<TrackedConnections> ofCutBlocks(final NodePlan planned, final PlanDiff seen) {
        final Set<VrfId> vrfs = planned.vrfs();
        return seen.excess().stream().filter(flow -> flow.table() == Table.NAT_TRANSLATE
                && flow.priority() == Priority.HIGH && Cookie.is(flow.cookie(), Cookie.Kind.TENANT)
                && Cookie.vrf(flow.cookie()).filter(vrfs::contains).isPresent())
            .flatMap(flow -> flow.actions().stream()
                .flatMap(action -> action instanceof Action.ConnTrack track ? track.nat().stream() : Stream.empty())
                .flatMap(nat -> nat instanceof Action.Nat.Source source && source.ports().isPresent()
                    ? Stream.of(new TrackedConnections(Cookie.ownerId(flow.cookie()),
                        Optional.of(source.address()))) : Stream.empty()))
            .collect(Collectors.toSet());
    }

    /**
     * Whether a flow is there as long as a network is seen at other addresses. When it is so no longer, its packets of
     * connections that are known would come in by its own addresses, which hosts inside may have.
     */
    private static boolean guardsTwiceNat(final FlowSpec flow) {
        return flow.table() == Table.CHAIN_IN && flow.priority() == Priority.HIGH;
    }

    /** Whether from now on mappings have ports that tracked connections may have until now. */
    private static boolean beginsMappings(final FlowSpec flow) {
        return flow.table() == Table.NAT_MAP_OTHER_PORT;
    }

    /** Whether a flow, if it is another one now, makes of a seen address another address outside. */
    private static boolean isTwiceNat(final FlowSpec flow) {
        return (flow.table() == Table.CHAIN_OUT || flow.table() == Table.CHAIN_RETURN)
            && flow.priority() >= Priority.prefix(0);
    }

    /**
     * Whether a flow gives a VRF or a subscriber a public address. Those above are for fragments, for ALGs, and for
     * blocks on demand, which go when nothing uses them, or by force, which {@code CutBlocks} sees to.
     */
    private static boolean isSourceNat(final FlowSpec flow) {
        return flow.table() == Table.NAT_TRANSLATE && flow.priority() <= Priority.NORMAL;
    }
}
