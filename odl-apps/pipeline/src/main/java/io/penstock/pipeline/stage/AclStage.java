// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.IpProtocol;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Access control lists (RFC 8519) of tenants and of uplinks. One flow for each entry and block of ports; where there is
 * a list, what no entry permits is dropped.
 */
public final class AclStage implements Stage {

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.TENANT_ACL, Priority.MISS, "no list").go(Table.CHAIN_OUT);
        sink.flow(Table.BACKBONE_ACL, Priority.MISS, "no list").go(Table.NEIGHBOUR_LOOKUP);
        for (final Backbone.Interface uplink : node.uplinks()) {
            uplink.egressAcl().map(node.snapshot().acls()::get).ifPresent(acl -> planList(sink, acl,
                Table.BACKBONE_ACL,
                Register.OUT_ATTACHMENT.is(Register.place(node.port(uplink.port()), uplink.vlan())),
                Table.NEIGHBOUR_LOOKUP));
        }
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (view.hasNat()) {
            view.tenant().egressAcl().map(node.snapshot().acls()::get).ifPresent(acl -> planList(sink, acl,
                Table.TENANT_ACL, view.isVrf(), Table.CHAIN_OUT));
        }
    }

    private static void planList(final FlowSink sink, final Acl acl, final Table table, final FieldMatch scope,
            final Table permitted) {
        for (int index = 0; index < acl.entries().size(); index++) {
            final Acl.Entry entry = acl.entries().get(index);
            final String label = "ACL " + acl.name() + " entry " + entry.name()
                + (entry.permit() ? " permit" : " drop");
            for (final List<FieldMatch> ports : portMatches(entry)) {
                final FlowSink.Draft flow = sink.flow(table, Priority.aclEntry(index), label)
                    .when(scope).ipv4().when(headerMatches(entry)).when(ports);
                if (entry.permit()) {
                    flow.go(permitted);
                } else {
                    flow.drop();
                }
            }
        }
        sink.flow(table, Priority.LOW, "ACL " + acl.name() + " permits no such packet").when(scope).drop();
    }

    private static List<FieldMatch> headerMatches(final Acl.Entry entry) {
        final List<FieldMatch> matches = new ArrayList<>();
        entry.source().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IP_SRC)));
        entry.destination().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IP_DST)));
        entry.protocol().ifPresent(number -> matches.add(FieldMatch.of(MatchField.IP_PROTO, number)));
        entry.icmpType().ifPresent(type -> matches.add(FieldMatch.of(MatchField.ICMP_TYPE, type)));
        entry.icmpCode().ifPresent(code -> matches.add(FieldMatch.of(MatchField.ICMP_CODE, code)));
        return matches;
    }

    private static List<List<FieldMatch>> portMatches(final Acl.Entry entry) {
        final boolean tcp = entry.protocol().equals(Optional.of(IpProtocol.TCP));
        final List<List<FieldMatch>> product = new ArrayList<>();
        for (final Optional<FieldMatch> source
                : blocks(entry.sourcePorts(), tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC)) {
            for (final Optional<FieldMatch> destination
                    : blocks(entry.destinationPorts(), tcp ? MatchField.TCP_DST : MatchField.UDP_DST)) {
                final List<FieldMatch> both = new ArrayList<>();
                source.ifPresent(both::add);
                destination.ifPresent(both::add);
                product.add(both);
            }
        }
        return product;
    }

    /** A port range as the fewest aligned blocks, each one masked match; one empty element for any port. */
    private static List<Optional<FieldMatch>> blocks(final Optional<Acl.PortRange> range, final MatchField field) {
        if (range.isEmpty() || range.orElseThrow().low() == 0 && range.orElseThrow().high() == 0xffff) {
            return List.of(Optional.empty());
        }
        final List<Optional<FieldMatch>> blocks = new ArrayList<>();
        int low = range.orElseThrow().low();
        while (low <= range.orElseThrow().high()) {
            int size = low == 0 ? 0x10000 : Integer.lowestOneBit(low);
            while (low + size - 1 > range.orElseThrow().high()) {
                size /= 2;
            }
            blocks.add(Optional.of(new FieldMatch(field, low, 0xffff & ~(size - 1))));
            low += size;
        }
        return blocks;
    }
}
