// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Networks with more than a plain chain. */
public final class Chained {
    /** What is judged in {@link #canary}. */
    public static final Canary CANARY =
        new Canary("v2", List.of("fw2"), 25, 300, new Canary.Tolerance(1, 200, 1), 100);

    private Chained() {
    }

    /** A tenant whose web goes through one function more than the rest, and whose mail through none. */
    public static Snapshot ruled() {
        final Snapshot plain = Fixtures.network();
        final Map<String, Chain> chains = new TreeMap<>(plain.chains());
        chains.put("web", new Chain("web", List.of("tap", "fw")));
        chains.put("short", new Chain("short", List.of("fw")));
        final Tenant tenant = Fixtures.rich().with(List.of(
            new ChainRule("mail", 30, "mail", ChainRule.Ways.BOTH, Optional.empty()),
            new ChainRule("web", 10, "web", ChainRule.Ways.BOTH, Optional.of("web")),
            new ChainRule("one-way", 20, "ntp", ChainRule.Ways.TO_BACKBONE, Optional.of("short"))));
        return Snapshot.of(new ArrayList<>(plain.nodes().values()), plain.backbone(),
            new ArrayList<>(plain.pools().values()), new ArrayList<>(plain.functions().values()),
            new ArrayList<>(chains.values()), List.of(tenant), Stream.concat(plain.acls().values().stream(), Stream.of(
                list("web", null, 6, 80, 81), list("ntp", null, 17, 123, 123),
                list("mail", "192.0.2.25/32", 6, 25, 25))).toList());
    }

    /** A chained tenant of which a mirror sees all, at its place between the firewall and the backbone. */
    public static Snapshot mirrored() {
        final Snapshot plain = Fixtures.network(Fixtures.rich());
        return plain.withFunctions(List.of(plain.functions().get("fw"), plain.functions().get("tap")
            .with(new NetworkFunction.Mirror())));
    }

    /** A chained tenant whose traffic is routed by a function, behind the firewall and before the backbone. */
    public static Snapshot routed() {
        final Snapshot plain = Fixtures.network(Fixtures.rich());
        return plain.withFunctions(List.of(plain.functions().get("fw"), new NetworkFunction("tap", "edge1",
            NetworkFunction.FailPolicy.OPEN, false).with(NetworkFunction.Routed.DEFAULT)
            .with(new NetworkFunction.HealthCheck(200, 3, 5))));
    }

    /** The same networks as {@link #spread}, but that all functions know the network service header. */
    public static Snapshot encapsulated() {
        final Snapshot spread = spread();
        return spread.withFunctions(spread.functions().values().stream()
            .map(function -> function.with(new NetworkFunction.Nsh())).toList());
    }

    /**
     * The rich tenant, and one with rules, whose connections may leave the chain behind the firewall for a scrubber, of
     * which a mirror stands in front; one chain more has the firewall, but no branch there.
     */
    public static Snapshot branched() {
        final Snapshot ruled = ruled();
        final NetworkFunction fw = ruled.functions().get("fw").with(new NetworkFunction.TwoOutputs());
        final Map<String, Chain> chains = new TreeMap<>(ruled.chains());
        chains.put("secure", new Chain("secure", List.of("fw", "tap"),
            Optional.of(new Chain.Branch("fw", List.of("watch", "scrub")))));
        return Snapshot.of(List.copyOf(ruled.nodes().values()), ruled.backbone(), List.copyOf(ruled.pools().values()),
            List.of(fw, ruled.functions().get("tap"),
                new NetworkFunction("scrub", "edge1", NetworkFunction.FailPolicy.CLOSED, true),
                new NetworkFunction("watch", "edge1", NetworkFunction.FailPolicy.OPEN, true)
                    .with(new NetworkFunction.Mirror())),
            List.copyOf(chains.values()),
            Stream.concat(ruled.tenants().values().stream(), Stream.of(Fixtures.twiceChained())).toList(),
            List.copyOf(ruled.acls().values()));
    }

    private static Acl list(final String name, final String destination, final int protocol, final int low,
            final int high) {
        return new Acl(name, List.of(Fixtures.entry(name, true, destination, protocol, new PortRange(low, high),
            null)));
    }

    /** A chained tenant; connections are spread over two firewalls, of which a third gets no more. */
    public static Snapshot spread() {
        final Snapshot plain = Fixtures.network(Fixtures.rich());
        return plain.withFunctions(List.of(plain.functions().get("fw").spread(
            new NetworkFunction.Instance("fw1", NetworkFunction.State.IN_SERVICE, 1),
            new NetworkFunction.Instance("fw2", NetworkFunction.State.IN_SERVICE, 3),
            new NetworkFunction.Instance("fw0", NetworkFunction.State.DRAINING, 1)), plain.functions().get("tap")));
    }

    /** A chained tenant; connections are spread at each function of the longest chain. */
    public static Snapshot longest() {
        final Snapshot plain = Fixtures.network(Fixtures.rich());
        final List<NetworkFunction> functions = IntStream.range(0, Constants.MOST_CHAINED)
            .mapToObj(index -> new NetworkFunction("f" + index, "edge1", NetworkFunction.FailPolicy.OPEN, true).spread(
                new NetworkFunction.Instance("f" + index + "a", NetworkFunction.State.IN_SERVICE, 1),
                new NetworkFunction.Instance("f" + index + "b", NetworkFunction.State.IN_SERVICE, 1))).toList();
        return Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone(), List.copyOf(plain.pools().values()),
            functions, List.of(new Chain("secure", functions.stream().map(NetworkFunction::name).toList())),
            List.copyOf(plain.tenants().values()), List.copyOf(plain.acls().values()));
    }

    /** The same, where the heavier one runs a new version that is to get a quarter of the connections. */
    public static Snapshot canary() {
        final Snapshot plain = spread();
        return plain.withFunctions(List.of(plain.functions().get("fw").with(new NetworkFunction.HealthCheck(200, 3, 5))
            .with(Optional.of(CANARY)), plain.functions().get("tap")));
    }
}
