// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A network that changes at random, a step at a time: mostly a tenant, sometimes what is around all of them. What a
 * step does not touch is the same object afterwards, as it is when it comes from the datastore.
 */
public final class RandomNetwork {
    private static final int NAMES = 12;
    private static final int FEW = 3;

    private final Random random;
    private final Random protections;
    private final boolean wrong;
    private final Map<String, Tenant> tenants = new TreeMap<>();
    private Snapshot around = Fixtures.network();

    /** A network without tenants; with {@code wrong} it also breaks rules now and then. */
    public RandomNetwork(final long seed, final boolean wrong) {
        random = new Random(seed);
        protections = new Random(~seed);
        this.wrong = wrong;
    }

    /** What comes after the next step. */
    public Snapshot next() {
        switch (random.nextInt(NAMES)) {
            case 0 -> around =
                with(List.of(function("fw", random.nextBoolean()), function("tap", true)), Optional.empty());
            case 1 -> around = withPools(List.of(new Pool("public", List.of(Prefix.parse(
                random.nextBoolean() ? "203.0.113.0/24" : "198.51.100.0/24")))));
            case 2 -> around = withAcl(random.nextInt(FEW));
            case 3 -> around = Fixtures.network();
            case 4 -> around = withBranch();
            default -> changeTenants();
        }
        return around.withTenants(List.copyOf(tenants.values()));
    }

    private void changeTenants() {
        for (int count = 0; count <= random.nextInt(FEW); count++) {
            final String name = "t" + random.nextInt(NAMES);
            if (random.nextInt(FEW) == 0) {
                tenants.remove(name);
            } else {
                tenants.put(name, tenant(name));
            }
        }
    }

    private Tenant tenant(final String name) {
        // VLANs and addresses go from one tenant to another, but are not used twice unless that is wanted.
        final int own = Integer.parseInt(name.substring(1));
        final List<Integer> taken = tenants.entrySet().stream().filter(other -> !other.getKey().equals(name))
            .map(other -> other.getValue().attachments().get(0).vlan()).toList();
        final List<Integer> free = new ArrayList<>(List.of(own + 100, own + 101, own + 102));
        free.removeIf(vlan -> !wrong && taken.contains(vlan));
        final int vlan = free.isEmpty() ? own + 200 : free.get(random.nextInt(free.size()));
        final Tenant plain = Fixtures.tenant(name, vlan);
        return steer(guard(new Tenant(name, plain.attachments(), plain.subnets(), plain.routes(), nat(vlan),
            random.nextInt(FEW) == 0 ? Optional.of(wrong && random.nextBoolean() ? "nowhere" : "web-only")
                : Optional.empty(),
            random.nextInt(FEW) == 0 ? Optional.of("secure") : Optional.empty())));
    }

    private Tenant steer(final Tenant tenant) {
        final boolean plain = tenant.nat().stream().allMatch(nat -> nat.twice().isEmpty());
        if (protections.nextInt(FEW) > 0 || !plain && (!wrong || protections.nextInt(9) > 0)) {
            return tenant;
        }
        return tenant.with(List.of(new ChainRule("web", 1, "web-only",
            ChainRule.Ways.values()[protections.nextInt(FEW)],
            protections.nextBoolean() ? Optional.of("secure") : Optional.empty())));
    }

    private Tenant guard(final Tenant tenant) {
        final Optional<String> ingress = protections.nextInt(FEW) == 0 && tenant.nat().isPresent()
            ? Optional.of("office-in") : Optional.empty();
        final boolean listed = ingress.isPresent() || tenant.egressAcl().isPresent();
        return tenant.with(new Protection(ingress, protections.nextBoolean() && listed, new Quota(Optional.empty(),
                newSessions(protections.nextInt(FEW)), Optional.empty(),
                protections.nextInt(FEW) == 0 ? Optional.of(1000L) : Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty())));
    }

    private static Optional<Integer> newSessions(final int kind) {
        return switch (kind) {
            case 0 -> Optional.of(10);
            case 1 -> Optional.of(Quota.UNLIMITED);
            default -> Optional.empty();
        };
    }

    private Optional<Tenant.Nat> nat(final int vlan) {
        final Optional<Ipv4> address = random.nextBoolean() ? Optional.empty()
            : Optional.of(Ipv4.parse("192.0.2.128").plus(vlan % 100));
        final Optional<String> pool = address.isPresent() ? Optional.empty() : Optional.of("public");
        final List<Tenant.OneToOne> oneToOne = random.nextBoolean() ? List.of()
            : List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.64/31"),
                new Prefix(Ipv4.parse("192.88.99.0").plus(2L * (vlan % 100)), 31)));
        final List<Tenant.PortForward> forwards = random.nextBoolean() ? List.of()
            : List.of(new Tenant.PortForward("web", 6, 80 + random.nextInt(FEW), Ipv4.parse("10.0.0.7"),
                wrong ? random.nextInt(FEW) : 8080));
        final List<Tenant.Deterministic> deterministic = random.nextBoolean() ? List.of()
            : List.of(new Tenant.Deterministic(Prefix.parse("10.0.0.96/28"),
                new Prefix(Ipv4.parse("198.18.0.0").plus(2L * (vlan % 100)), wrong ? 32 : 31)));
        final List<Tenant.PortBlocks> blocks = random.nextBoolean() ? List.of()
            : List.of(new Tenant.PortBlocks(Prefix.parse("10.0.0.128/26"),
                new Prefix(Ipv4.parse("198.19.0.0").plus(2L * (vlan % 100)), 31),
                wrong && random.nextInt(9) == 0 ? 500 : 512, 1 + random.nextInt(4)));
        final List<Tenant.Twice> twice = random.nextBoolean() ? List.of()
            : List.of(new Tenant.Twice(new Prefix(Ipv4.parse("10.99.0.0").plus((long) random.nextInt(FEW) << 8), 24),
                Prefix.parse(wrong && random.nextInt(9) == 0 ? "203.0.113.0/24" : "10.0.0.0/24")));
        return Optional.of(new Tenant.Nat(address, pool, oneToOne, deterministic, blocks, forwards, Set.of(), twice));
    }

    private Snapshot with(final List<NetworkFunction> functions, final Optional<Chain.Branch> branch) {
        final Snapshot plain = around.withFunctions(functions);
        return new Snapshot(plain.nodes(), plain.backbone(), plain.pools(), plain.functions(),
            new TreeMap<>(Map.of("secure", new Chain("secure", List.of("fw", "tap"), branch))), plain.tenants(),
            plain.acls());
    }

    private Snapshot withBranch() {
        final NetworkFunction fw = new NetworkFunction("fw", "edge1", NetworkFunction.FailPolicy.OPEN, true).with(
            wrong && protections.nextBoolean() ? new NetworkFunction.Tagged() : new NetworkFunction.TwoOutputs());
        return with(List.of(fw, function("tap", true), function("scrub", true)), Optional.of(new Chain.Branch("fw",
            protections.nextBoolean() ? List.of() : List.of("scrub"))));
    }

    private NetworkFunction function(final String name, final boolean shared) {
        final NetworkFunction function = new NetworkFunction(name, "edge1", random.nextBoolean()
            ? NetworkFunction.FailPolicy.OPEN : NetworkFunction.FailPolicy.CLOSED, !wrong || shared)
            .with(protections.nextInt(FEW) == 0 ? new NetworkFunction.Nsh() : new NetworkFunction.Tagged());
        return switch (protections.nextInt(FEW)) {
            case 0 -> function;
            case 1 -> function.with(new NetworkFunction.HealthCheck(200, 3, 5));
            default -> function.spread(instance(name), instance(name + "-b"));
        };
    }

    private NetworkFunction.Instance instance(final String name) {
        return new NetworkFunction.Instance(name, NetworkFunction.State.values()[protections.nextInt(FEW)],
            1 + protections.nextInt(FEW));
    }

    private Snapshot withPools(final List<Pool> pools) {
        return Snapshot.of(List.copyOf(around.nodes().values()), around.backbone(), pools,
            List.copyOf(around.functions().values()), List.copyOf(around.chains().values()), List.of(),
            List.copyOf(around.acls().values()));
    }

    private Snapshot withAcl(final int port) {
        final List<Acl> acls = new ArrayList<>(Fixtures.network().acls().values());
        acls.removeIf(acl -> acl.name().equals("web-only"));
        acls.add(new Acl("web-only", List.of(new Acl.Entry("web", true, Matches.to(6, port, port), List.of()))));
        return Snapshot.of(List.copyOf(around.nodes().values()), around.backbone(),
            List.copyOf(around.pools().values()), List.copyOf(around.functions().values()),
            List.copyOf(around.chains().values()), List.of(), acls);
    }
}
