// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import io.penstock.configuration.Desired;
import io.penstock.operations.NatPreview;
import io.penstock.operations.NatPreview.Moved;
import io.penstock.operations.PoolChange;
import io.penstock.pipeline.allocation.Move;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.rules.Validator;
import io.penstock.pipeline.rules.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Tells who would move if public addresses were changed. Functions without state. */
public final class Preview {
    private static final long EXACTLY = 0xffffffffL;

    private Preview() {
        // Only functions.
    }

    /**
     * What a change would do, were it committed now with force.
     *
     * @param flows of the switches, by node
     * @throws IllegalArgumentException when it would be refused, or there is nothing to change
     */
    public static NatPreview of(final Desired desired, final PoolChange change,
            final Map<String, List<FlowSpec>> flows) {
        final Snapshot next = change(desired.snapshot(), change);
        final List<Violation> violations = Validator.validate(next, desired.snapshot(), desired.allocations());
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(
                violations.stream().map(Violation::toString).collect(Collectors.joining("; ")));
        }
        final Map<String, List<FlowSpec>> sessions = new HashMap<>();
        flows.forEach((node, each) -> each.stream().filter(flow -> Cookie.is(flow.cookie(), Cookie.Kind.SESSION))
            .forEach(flow -> Cookie.vrf(flow.cookie()).flatMap(vrf -> desired.tenant(node, vrf)).ifPresent(tenant ->
                sessions.computeIfAbsent(tenant.name(), name -> new ArrayList<>()).add(flow))));
        return new NatPreview(Move.of(next, desired.allocations()).stream().map(move -> new Moved(move.tenant(),
            text(move.subscriber()), move.from().toString(), text(move.to()), move.blocks().size(),
            (int) sessions.getOrDefault(move.tenant(), List.of()).stream()
                .filter(flow -> isOf(move, flow)).count())).toList());
    }

    private static Snapshot change(final Snapshot snapshot, final PoolChange change) {
        if (change instanceof PoolChange.OfPool each) {
            final Pool pool = snapshot.pools().get(each.pool());
            if (pool == null) {
                throw new IllegalArgumentException("pool: there is no pool '" + each.pool() + "'");
            }
            final List<Prefix> prefixes = each.prefixes().stream().map(Prefix::parse).toList();
            if (prefixes.isEmpty()) {
                throw new IllegalArgumentException("prefix: is missing");
            }
            return snapshot.with(new Pool(pool.name(), prefixes, drained(pool.drain(), prefixes), true,
                pool.thresholds()));
        }
        final PoolChange.OfPortBlock each = (PoolChange.OfPortBlock) change;
        final Tenant tenant = snapshot.tenants().get(each.tenant());
        if (tenant == null) {
            throw new IllegalArgumentException("tenant: there is no tenant '" + each.tenant() + "'");
        }
        final Prefix inside = Prefix.parse(each.inside());
        final List<Tenant.PortBlocks> mappings =
            new ArrayList<>(tenant.nat().map(Tenant.Nat::portBlocks).orElse(List.of()));
        final Tenant.PortBlocks had = mappings.stream().filter(mapping -> mapping.inside().equals(inside)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("inside-prefix: tenant " + tenant.name()
                + " has no port-block " + inside));
        final Prefix outside = each.outside().map(Prefix::parse).orElse(had.outside());
        mappings.set(mappings.indexOf(had), new Tenant.PortBlocks(inside, outside,
            each.blockSize().orElse(had.blockSize()), had.mostBlocks(), true, drained(had.drain(), List.of(outside)),
            had.thresholds(), had.independent()));
        return snapshot.with(tenant.with(tenant.nat().orElseThrow().withPortBlocks(mappings)));
    }

    /** What is drained now and would still be there. */
    private static List<Prefix> drained(final List<Prefix> drain, final List<Prefix> prefixes) {
        return drain.stream().filter(each -> prefixes.stream().anyMatch(prefix -> prefix.contains(each))).toList();
    }

    /** Whether a session is what comes back to an address, and to one of the blocks if there are some. */
    private static boolean isOf(final Move move, final FlowSpec session) {
        return value(session, MatchField.IP_DST) == move.from().number() && (move.subscriber().isEmpty()
            || move.blocks().stream().anyMatch(block -> block.firstPort() <= port(session)
                && port(session) < block.firstPort() + block.ports()));
    }

    private static long port(final FlowSpec session) {
        return Math.max(value(session, MatchField.TCP_DST), value(session, MatchField.UDP_DST));
    }

    /** What a flow asks of a whole field; -1 when it does not. */
    private static long value(final FlowSpec flow, final MatchField field) {
        return flow.matches().stream().filter(match -> match.field() == field && isWhole(match))
            .mapToLong(FieldMatch::value).findFirst().orElse(-1);
    }

    private static boolean isWhole(final FieldMatch match) {
        return match.field() != MatchField.IP_DST || match.mask() == EXACTLY;
    }

    private static String text(final Optional<Ipv4> address) {
        return address.map(Ipv4::toString).orElse("");
    }
}
