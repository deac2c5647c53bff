// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.REL;
import static io.penstock.pipeline.stage.ConnTracking.RPL;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.AclFlows.Families;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Access control lists (RFC 8519) of tenants and of uplinks. Where there is a list, what no entry permits is dropped.
 *
 * <p>A tenant may want answers to pass without an entry. Then what a list permits, or what comes in a direction without
 * a list, is committed to a conntrack zone of its own, and what a list does not permit is looked for there. Either way
 * it is one pass. State is used for nothing but answers, and an answer has to be one to something that is permitted
 * still: it is held against the list of the other direction with its two ends changed round. So what is permitted no
 * more is cut at once, in both directions.
 *
 * <p>Addresses of IPv6 are reached from everywhere, where those of IPv4 need a translation for that. So a tenant
 * without an ingress list gets nothing but replies by IPv6, unless it says otherwise, as if it had an empty one and
 * tracked IPv6 alone.
 *
 * <p>Open vSwitch shows fragments without ports, the first one too. So no entry with ports is about them, and all of a
 * packet take the same way, through conntrack, which puts them together. Those of an answer pass by what conntrack
 * knows alone. Sample flows: golden/guarded.flows, tables tenant_acl_in to tenant_acl_in_reply and tenant_acl to
 * tenant_acl_reply.
 */
public final class AclStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.TENANT_ACL_IN, Table.TENANT_ACL_IN_DENIED,
        Table.TENANT_ACL_IN_TRACK, Table.TENANT_ACL_IN_REPLY, Table.TENANT_ACL, Table.TENANT_ACL_DENIED,
        Table.TENANT_ACL_TRACK, Table.TENANT_ACL_REPLY, Table.BACKBONE_ACL);
    private static final String ANSWERS = ", replies";
    /** The list of a direction in which nothing but replies is permitted. */
    private static final Acl NOTHING = new Acl("", List.of());

    /** One direction of the packets of a tenant. */
    private enum Way {
        OUT(Table.TENANT_ACL, Table.TENANT_ACL_DENIED, Table.TENANT_ACL_TRACK, Table.TENANT_ACL_REPLY,
            Table.CHAIN_OUT),
        IN(Table.TENANT_ACL_IN, Table.TENANT_ACL_IN_DENIED, Table.TENANT_ACL_IN_TRACK, Table.TENANT_ACL_IN_REPLY,
            Table.VRF_ROUTE);

        private final Table list;
        private final Table denied;
        private final Table track;
        private final Table reply;
        private final Table next;

        Way(final Table list, final Table denied, final Table track, final Table reply, final Table next) {
            this.list = list;
            this.denied = denied;
            this.track = track;
            this.reply = reply;
            this.next = next;
        }
    }

    /**
     * By which lists packets of some families go.
     *
     * @param tracked whether connections are tracked, so that replies need no entry
     */
    private record Lists(Optional<Acl> out, Optional<Acl> in, boolean tracked) {
        Optional<Acl> of(final Way way) {
            return way == Way.OUT ? out : in;
        }
    }

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final Way way : Way.values()) {
            // Only tenants with a list come here. One whose flows are missing is not one without a list.
            sink.flow(way.list, Priority.MISS, "the flows of the list are missing").drop();
            sink.flow(way.denied, Priority.MISS, "the VRF has no stateful list").drop();
            sink.flow(way.track, Priority.MISS, "the VRF has no stateful list").drop();
            sink.flow(way.reply, Priority.TOP, "error for a known connection").when(state(TRK | REL, INV))
                .go(way.next);
            sink.flow(way.reply, Priority.MISS, "the VRF has no stateful list").drop();
        }
        sink.flow(Table.BACKBONE_ACL, Priority.MISS, "no list").go(Table.NEIGHBOUR_LOOKUP);
        for (final Backbone.Interface uplink : node.uplinks()) {
            final boolean ipv6 = node.snapshot().backbone().ipv6().on(node.node().name()).stream()
                .anyMatch(each -> each.port().equals(uplink.port()));
            list(node, uplink.egressAcl()).ifPresent(acl -> new AclFlows(sink, acl, new AclFlows.Place(
                Table.BACKBONE_ACL,
                List.of(Register.OUT_ATTACHMENT.is(Register.place(node.port(uplink.port()), uplink.vlan()))), 0, "",
                Table.NEIGHBOUR_LOOKUP, Optional.empty()),
                Families.all(ipv6 ? List.of(IpFamily.values()) : List.of(IpFamily.IPV4))).plan());
        }
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (!view.hasListedWays()) {
            return;
        }
        final Optional<Acl> out = list(node, view.tenant().egressAcl());
        final Optional<Acl> in = list(node, view.tenant().protection().ingressAcl());
        if (view.admitsIpv6Replies()) {
            final boolean alone = !view.hasNat();
            plan(view, new Families(List.of(IpFamily.IPV6), alone), new Lists(out, Optional.of(NOTHING), true), sink);
            if (!alone) {
                plan(view, new Families(List.of(IpFamily.IPV4), false), new Lists(out, in, view.tracksLists()), sink);
            }
        } else {
            plan(view, Families.all(view.families()), new Lists(out, in, view.tracksLists()), sink);
        }
    }

    private static void plan(final TenantView view, final Families families, final Lists lists, final FlowSink sink) {
        if (lists.tracked()) {
            planTracked(view, families, Way.OUT, lists, sink);
            planTracked(view, families, Way.IN, lists, sink);
        } else {
            planUntracked(view, families, Way.OUT, lists, sink);
            planUntracked(view, families, Way.IN, lists, sink);
        }
    }

    private static void planUntracked(final TenantView view, final Families families, final Way way,
            final Lists lists, final FlowSink sink) {
        final Optional<Acl> own = lists.of(way);
        if (own.isPresent()) {
            planList(view, families, own.orElseThrow(), way, way.next, Optional.empty(), sink);
        } else if (way == Way.IN && !families.areAll()) {
            // They come to the table of the list because the other family has to.
            families.planEach(() -> sink.flow(way.list, Priority.LOW, "no list").when(view.isVrf()),
                flow -> flow.go(way.next));
        }
    }

    /** A list that is named and missing permits nothing: the check at commit keeps such a configuration out. */
    private static Optional<Acl> list(final NodeView node, final Optional<String> name) {
        return name.map(each -> node.snapshot().acls().getOrDefault(each, new Acl(each, List.of())));
    }

    private static void planList(final TenantView view, final Families families, final Acl acl, final Way way,
            final Table permitted, final Optional<Table> denied, final FlowSink sink) {
        new AclFlows(sink, acl, new AclFlows.Place(way.list, List.of(view.isVrf()), view.vrf().number(), "",
            permitted, denied), families).plan();
    }

    private static void planTracked(final TenantView view, final Families families, final Way way, final Lists lists,
            final FlowSink sink) {
        final Optional<Acl> own = lists.of(way);
        if (own.isEmpty()) {
            track(view, families, way.track, "connection of a permitted packet", true, way.next, sink);
            families.plan(() -> sink.flow(way.list, Priority.LOW, "no list, connection is tracked for replies")
                .when(view.isVrf()), flow -> flow.go(way.track));
            return;
        }
        if (own.orElseThrow().equals(NOTHING)) {
            families.plan(() -> sink.flow(way.list, Priority.LOW, "from outside the VRF, no list").when(view.isVrf()),
                flow -> flow.go(way.denied));
        } else {
            track(view, families, way.track, "connection of a permitted packet", true, way.next, sink);
            planList(view, families, own.orElseThrow(), way, way.track, Optional.of(way.denied), sink);
        }
        track(view, families, way.denied, "look up the connection of a reply", false, way.reply, sink);
        planAnswers(view, families, way, lists, sink);
    }

    /** What a list does not permit may answer what the list of the other direction permits. */
    private static void planAnswers(final TenantView view, final Families families, final Way way, final Lists lists,
            final FlowSink sink) {
        final Acl own = lists.of(way).orElseThrow();
        final Optional<Acl> others = lists.of(way == Way.OUT ? Way.IN : Way.OUT);
        final List<FieldMatch> answer = List.of(view.isVrf(), state(TRK | RPL, NEW | INV));
        if (others.isEmpty()) {
            families.plan(() -> sink.flow(way.reply, Priority.NORMAL, "reply").when(answer), flow -> flow.go(way.next));
        } else {
            families.planEach(() -> sink.flow(way.reply, Priority.TOP, "fragment of a reply").when(answer),
                flow -> flow.when(Fragment.YES.match()).go(way.next));
            new AclFlows(sink, others.orElseThrow().answers(), new AclFlows.Place(way.reply, answer,
                view.vrf().number(), ANSWERS, way.next, Optional.empty()), families).planEntries();
        }
        families.plan(() -> sink.flow(way.reply, Priority.LOW, own.equals(NOTHING)
            ? "IPv6 from outside the VRF without a permission" : "ACL " + own.name() + " permits no such packet")
            .when(view.isVrf()), FlowSink.Draft::drop);
    }

    /** One pass, in the zone of the tenant's lists. */
    private static void track(final TenantView view, final Families families, final Table table, final String label,
            final boolean commit, final Table next, final FlowSink sink) {
        final Action zone = Register.ZONE.load(view.vrf().aclZone());
        final List<Action> track = ConnTracking.pass(next, commit, Optional.empty(), Optional.empty(),
            Optional.empty());
        families.planEach(() -> sink.flow(table, Priority.LOW, label).when(view.isVrf()),
            flow -> flow.then(zone).then(track).end());
    }
}
