// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mtu;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks a snapshot as a whole, so that what is accepted can be carried out. A validator remembers the last snapshot
 * that was good: where only tenants differ from it, they alone are judged. Not for several threads; the static
 * functions are.
 */
public final class Validator {
    /** This host, loopback, multicast and reserved (RFC 6890; RFC 5771). */
    private static final List<Prefix> NOT_OF_HOSTS =
        Stream.of("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4").map(Prefix::parse).toList();
    /** Hosts choose addresses there themselves, and no router forwards them (RFC 3927, section 7). */
    private static final Prefix LINK_LOCAL = Prefix.parse("169.254.0.0/16");

    /** The last snapshot that broke no rule. */
    private @Nullable Snapshot good;
    /** Those of its tenants. */
    private Claims claims = new Claims(Snapshot.empty());

    /** The rules a snapshot breaks when nothing was configured before it. */
    public static List<Violation> validate(final Snapshot snapshot, final Allocations allocations) {
        return validate(snapshot, Snapshot.empty(), allocations);
    }

    /**
     * All rules the snapshot breaks, none when it is good.
     *
     * @param before the snapshot for which things were handed out
     * @param allocations what was handed out so far
     */
    public static List<Violation> validate(final Snapshot snapshot, final Snapshot before,
            final Allocations allocations) {
        return new Validator().validateAgain(snapshot, before, allocations, NodeFacts.UNKNOWN);
    }

    /**
     * The same as {@link #validate}, but faster when only some tenants are new.
     *
     * @param facts what nodes have said that they have, by name; nothing is refused for want of what is not known
     */
    public List<Violation> validateAgain(final Snapshot snapshot, final Snapshot before,
            final Allocations allocations, final Map<String, NodeFacts> facts) {
        final List<Violation> found = new ArrayList<>(SizeRules.check(snapshot));
        if (!found.isEmpty()) {
            return List.copyOf(found);
        }
        found.addAll(new NodeFactsRules(before, facts).violations(snapshot));
        final Snapshot known = good;
        if (known != null && known.hasSameSharedPartAs(snapshot)) {
            found.addAll(judgeDiffering(snapshot, known, before, allocations));
        } else {
            final Claims own = new Claims(snapshot);
            found.addAll(judgeAll(snapshot, new AmongTenantsRules(snapshot, before, allocations, false, own)));
            if (found.isEmpty()) {
                good = snapshot;
                claims = own;
            }
        }
        return List.copyOf(found);
    }

    /** Judges the next snapshot as if it were the first. */
    public void forget() {
        good = null;
    }

    /** Nothing is remembered when this fails; what was good stays so when rules are broken. */
    private List<Violation> judgeDiffering(final Snapshot snapshot, final Snapshot known, final Snapshot before,
            final Allocations allocations) {
        good = null;
        final Set<String> names = snapshot.tenantsDifferingFrom(known);
        final List<Tenant> were = known(names, known);
        final List<Tenant> are = known(names, snapshot);
        were.forEach(tenant -> claims.release(tenant, known));
        final Snapshot withoutTenants = snapshot.withTenants(List.of());
        final List<Violation> found = new AmongTenantsRules(snapshot, before, allocations, false, claims)
            .validate(are, tenant -> TenantRules.check(withoutTenants, tenant));
        if (found.isEmpty()) {
            good = snapshot;
        } else {
            are.forEach(tenant -> claims.release(tenant, snapshot));
            were.forEach(tenant -> claims.claim(tenant, known, (leaf, rule) -> { }));
            good = known;
        }
        return found;
    }

    private static List<Tenant> known(final Set<String> names, final Snapshot snapshot) {
        return names.stream().sorted().map(snapshot.tenants()::get).filter(Objects::nonNull).toList();
    }

    private static List<Violation> judgeAll(final Snapshot snapshot, final AmongTenantsRules among) {
        final Snapshot withoutTenants = snapshot.withTenants(List.of());
        final List<Violation> violations = new ArrayList<>(new FunctionRules(withoutTenants).validate());
        violations.addAll(new BackboneRules(withoutTenants).validate());
        withoutTenants.nodes().values().forEach(node -> NodeRules.check(node, violations));
        violations.addAll(among.validate(List.copyOf(snapshot.tenants().values()),
            tenant -> TenantRules.check(withoutTenants, tenant)));
        return violations;
    }

    /**
     * The rules that a stored snapshot breaks by itself. What a change may not take from those who have it is no rule
     * of these: the change was made. Addresses of pools are none either: the allocator gives way to those set by hand,
     * and a tenant that was there before has a drained address.
     *
     * @param allocations what was handed out so far; only VRF ids count
     */
    public static List<Violation> validateStored(final Snapshot snapshot, final Allocations allocations) {
        final List<Violation> tooLong = SizeRules.check(snapshot);
        return List.copyOf(tooLong.isEmpty() ? judgeAll(snapshot, new AmongTenantsRules(snapshot, Snapshot.empty(),
            allocations.withoutHoldings(), true, new Claims(snapshot))) : tooLong);
    }

    /** A rule text for a name that leads nowhere. */
    static String unknown(final String kind, final String name, final Map<String, ?> known) {
        return "there is no " + kind + " '" + name + "'; known: "
            + (known.isEmpty() ? "none" : String.join(", ", known.keySet().stream().limit(10).toList()));
    }

    /** Why a network cannot have a longest packet of so many bytes, if it cannot: RFC 791 asks for 576. */
    static Optional<String> wrongMtu(final int mtu) {
        return mtu >= Mtu.LEAST && mtu <= Mtu.MOST ? Optional.empty()
            : Optional.of("%d is not in %d..%d".formatted(mtu, Mtu.LEAST, Mtu.MOST));
    }

    /** Why an address cannot be a router's own address in a subnet, if it cannot. */
    static Optional<String> notInside(final Ipv4 address, final Prefix prefix) {
        if (!prefix.contains(address)) {
            return Optional.of(address + " is outside its subnet " + prefix);
        }
        if (prefix.length() < 31 && (address.equals(prefix.address()) || address.equals(prefix.last()))) {
            return Optional.of(address + " is the network or broadcast address of " + prefix);
        }
        return Optional.empty();
    }

    /** Why a prefix cannot be one of hosts whose packets are routed, if it cannot. */
    static Optional<String> notOfHosts(final Prefix prefix) {
        return Stream.concat(NOT_OF_HOSTS.stream(), Stream.of(LINK_LOCAL)).filter(prefix::overlaps).findFirst()
            .map(reserved -> overlaps(prefix, reserved));
    }

    /** Why a prefix cannot be one of a link between routers, if it cannot; link-local ones can. */
    static Optional<String> notOfRouters(final Prefix prefix) {
        return NOT_OF_HOSTS.stream().filter(prefix::overlaps).findFirst().map(reserved -> overlaps(prefix, reserved));
    }

    private static String overlaps(final Prefix prefix, final Prefix reserved) {
        return prefix + " overlaps " + reserved + ", which is not a prefix for hosts";
    }
}
