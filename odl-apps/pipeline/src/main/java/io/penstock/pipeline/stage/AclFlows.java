// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.IpProtocol;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The flows of one list in one place. A range of ports becomes aligned blocks, at most 30, each one masked match. Of an
 * entry with two ranges each block of one goes with each of the other; where that would be more flows, the entry is a
 * conjunction of both. So an entry has never more flows than one and its blocks.
 */
final class AclFlows {
    private static final int CLAUSES = 2;
    private static final int OWNER_SHIFT = 16;
    /** Tells conjunctions of IPv6 from those of IPv4; VRF ids leave the bit free. */
    private static final int IPV6_OWNER = 0x8000;

    /**
     * Where a list decides.
     *
     * @param scope what its packets have in common; no two places of a table have packets in common
     * @param owner tells its conjunctions from those of others in the table, 0..0x7fff
     * @param note ends the labels
     * @param permitted where packets go that an entry permits
     * @param denied where the others go; they are dropped when absent
     */
    record Place(Table table, List<FieldMatch> scope, int owner, String note, Table permitted,
            Optional<Table> denied) { }

    private final FlowSink sink;
    private final Acl acl;
    private final Place place;
    private final List<Acl.Family> families;

    AclFlows(final FlowSink sink, final Acl acl, final Place place, final List<Acl.Family> families) {
        this.sink = sink;
        this.acl = acl;
        this.place = place;
        this.families = families;
    }

    /** Plans them, and what becomes of packets that no entry is about. */
    void plan() {
        planEntries();
        finish(sink.flow(place.table(), Priority.LOW, "ACL " + acl.name() + " permits no such packet" + place.note())
            .when(place.scope()), false);
    }

    /** Plans the entries alone. */
    void planEntries() {
        for (int index = 0; index < acl.entries().size(); index++) {
            final Acl.Entry entry = acl.entries().get(index);
            for (final Acl.Family family : families) {
                if (entry.isAbout(family)) {
                    planEntry(index, entry, family);
                }
            }
        }
    }

    private void planEntry(final int index, final Acl.Entry entry, final Acl.Family family) {
        final boolean tcp = entry.protocol().equals(Optional.of(IpProtocol.TCP));
        final List<List<FieldMatch>> sources =
            blocks(entry.sourcePorts(), tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC);
        final List<List<FieldMatch>> destinations =
            blocks(entry.destinationPorts(), tcp ? MatchField.TCP_DST : MatchField.UDP_DST);
        if (sources.size() * destinations.size() > sources.size() + destinations.size() + 1) {
            final int owner = family == Acl.Family.IPV4 ? place.owner() : place.owner() | IPV6_OWNER;
            final long id = (long) owner << OWNER_SHIFT | index + 1;
            sources.forEach(ports -> entryFlow(index, entry, family).when(ports)
                .then(new Action.Conjunction(id, 1, CLAUSES)).end());
            destinations.forEach(ports -> entryFlow(index, entry, family).when(ports)
                .then(new Action.Conjunction(id, 2, CLAUSES)).end());
            finish(flow(index, entry, family).when(MatchField.CONJ_ID, id), entry.permit());
            return;
        }
        for (final List<FieldMatch> source : sources) {
            for (final List<FieldMatch> destination : destinations) {
                final List<FieldMatch> both = new ArrayList<>(source);
                destination.stream().filter(match -> !both.contains(match)).forEach(both::add);
                finish(entryFlow(index, entry, family).when(both), entry.permit());
            }
        }
    }

    private FlowSink.Draft entryFlow(final int index, final Acl.Entry entry, final Acl.Family family) {
        return flow(index, entry, family).when(headerMatches(entry, family));
    }

    private FlowSink.Draft flow(final int index, final Acl.Entry entry, final Acl.Family family) {
        final FlowSink.Draft flow = sink.flow(place.table(), Priority.aclEntry(index), "ACL " + acl.name() + " entry "
            + entry.name() + (entry.permit() ? " permit" : " drop") + place.note()).when(place.scope());
        return family == Acl.Family.IPV4 ? flow.ipv4() : flow.ipv6();
    }

    private void finish(final FlowSink.Draft flow, final boolean permit) {
        if (permit) {
            flow.go(place.permitted());
        } else if (place.denied().isPresent()) {
            flow.go(place.denied().orElseThrow());
        } else {
            flow.drop();
        }
    }

    private static List<FieldMatch> headerMatches(final Acl.Entry entry, final Acl.Family family) {
        final boolean ipv4 = family == Acl.Family.IPV4;
        final List<FieldMatch> matches = new ArrayList<>();
        entry.source().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IP_SRC)));
        entry.destination().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IP_DST)));
        entry.source6().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IPV6_SRC)));
        entry.destination6().ifPresent(prefix -> matches.addAll(prefix.match(MatchField.IPV6_DST)));
        entry.protocol().ifPresent(number -> matches.add(FieldMatch.of(MatchField.IP_PROTO, number)));
        entry.icmpType().ifPresent(type -> matches.add(FieldMatch.of(
            ipv4 ? MatchField.ICMP_TYPE : MatchField.ICMPV6_TYPE, type)));
        entry.icmpCode().ifPresent(code -> matches.add(FieldMatch.of(
            ipv4 ? MatchField.ICMP_CODE : MatchField.ICMPV6_CODE, code)));
        if (entry.icmpType().filter(type -> type == 0).isPresent()
                || entry.icmpCode().filter(code -> code == 0).isPresent()) {
            matches.add(Fragment.NO.match());
        }
        return matches;
    }

    /** A port range as the fewest aligned blocks; one empty element for any port. */
    private static List<List<FieldMatch>> blocks(final Optional<Acl.PortRange> range, final MatchField field) {
        if (range.isEmpty() || range.orElseThrow().low() == 0 && range.orElseThrow().high() == 0xffff) {
            return List.of(List.of());
        }
        final List<List<FieldMatch>> blocks = new ArrayList<>();
        int low = range.orElseThrow().low();
        while (low <= range.orElseThrow().high()) {
            int size = low == 0 ? 0x10000 : Integer.lowestOneBit(low);
            while (low + size - 1 > range.orElseThrow().high()) {
                size /= 2;
            }
            final FieldMatch block = new FieldMatch(field, low, 0xffff & ~(size - 1));
            // Open vSwitch shows no ports of fragments, which looks like port 0.
            blocks.add(low == 0 ? List.of(block, Fragment.NO.match()) : List.of(block));
            low += size;
        }
        return blocks;
    }
}
