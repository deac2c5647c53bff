// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.PortRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The flows that match what one entry of an access list is about. A range of ports becomes aligned blocks, at most 30,
 * each one masked match. Of an entry with two ranges each block of one goes with each of the other; where that would be
 * more flows, the entry is a conjunction of both. So an entry has never more flows than one and its blocks.
 */
final class EntryFlows {
    private static final int CLAUSES = 2;
    private static final int OWNER_SHIFT = 16;
    /** Tells conjunctions of IPv6 from those of IPv4; VRF ids leave the bit free. */
    private static final int IPV6_OWNER = 0x8000;

    private EntryFlows() {
        // Only functions.
    }

    /**
     * The number of an entry's conjunction.
     *
     * @param owner tells it from those of others in the table, 0..0x7fff
     * @param index which entry of that owner, 0..65534
     */
    static long id(final int owner, final IpFamily family, final int index) {
        return (long) (family == IpFamily.IPV4 ? owner : owner | IPV6_OWNER) << OWNER_SHIFT | index + 1;
    }

    /**
     * Plans them.
     *
     * @param id of the conjunction, should there be one
     * @param begin begins a flow, with what all have in common, but not the family
     * @param finish finishes the flow of a packet that meets the entry
     */
    static void plan(final Acl.Entry entry, final IpFamily family, final long id,
            final Supplier<FlowSink.Draft> begin, final Consumer<FlowSink.Draft> finish) {
        final Supplier<FlowSink.Draft> flow =
            () -> family == IpFamily.IPV4 ? begin.get().ipv4() : begin.get().ipv6();
        final Supplier<FlowSink.Draft> about = () -> flow.get().when(headerMatches(entry.match(), family));
        final boolean tcp = entry.match().protocol().equals(Optional.of(IpProtocol.TCP));
        final List<List<FieldMatch>> sources =
            blocks(entry.match().ports().source(), tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC);
        final List<List<FieldMatch>> destinations =
            blocks(entry.match().ports().destination(), tcp ? MatchField.TCP_DST : MatchField.UDP_DST);
        if (sources.size() * destinations.size() > sources.size() + destinations.size() + 1) {
            sources.forEach(ports -> about.get().when(ports).then(new Action.Conjunction(id, 1, CLAUSES)).end());
            destinations.forEach(ports -> about.get().when(ports).then(new Action.Conjunction(id, 2, CLAUSES)).end());
            finish.accept(flow.get().when(MatchField.CONJ_ID, id));
            return;
        }
        for (final List<FieldMatch> source : sources) {
            for (final List<FieldMatch> destination : destinations) {
                final List<FieldMatch> both = new ArrayList<>(source);
                destination.stream().filter(match -> !both.contains(match)).forEach(both::add);
                finish.accept(about.get().when(both));
            }
        }
    }

    private static List<FieldMatch> headerMatches(final AclMatch match, final IpFamily family) {
        final boolean ipv4 = family == IpFamily.IPV4;
        final List<FieldMatch> matches = new ArrayList<>();
        match.ipv4().source().ifPresent(prefix -> matches.addAll(FieldMatch.in(MatchField.IP_SRC, prefix)));
        match.ipv4().destination().ifPresent(prefix -> matches.addAll(FieldMatch.in(MatchField.IP_DST, prefix)));
        match.ipv6().source().ifPresent(prefix -> matches.addAll(FieldMatch.in(MatchField.IPV6_SRC, prefix)));
        match.ipv6().destination().ifPresent(prefix -> matches.addAll(FieldMatch.in(MatchField.IPV6_DST, prefix)));
        match.protocol().ifPresent(number -> matches.add(FieldMatch.of(MatchField.IP_PROTO, number)));
        match.icmp().type().ifPresent(type -> matches.add(FieldMatch.of(
            ipv4 ? MatchField.ICMP_TYPE : MatchField.ICMPV6_TYPE, type)));
        match.icmp().code().ifPresent(code -> matches.add(FieldMatch.of(
            ipv4 ? MatchField.ICMP_CODE : MatchField.ICMPV6_CODE, code)));
        if (match.icmp().type().filter(type -> type == 0).isPresent()
                || match.icmp().code().filter(code -> code == 0).isPresent()) {
            matches.add(Fragment.NO.match());
        }
        return matches;
    }

    /** A port range as the fewest aligned blocks; one empty element for any port. */
    private static List<List<FieldMatch>> blocks(final Optional<PortRange> range, final MatchField field) {
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
