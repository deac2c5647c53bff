// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Link;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.plan.Chained;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is refused of functions, chains, the lists that choose between chains, and who uses them. */
class FunctionRulesTest {
    @Test
    void aChainOfMoreThanEightFunctionsIsRefused() {
        final List<NetworkFunction> functions = IntStream.range(0, 9)
            .mapToObj(index -> new NetworkFunction("f" + index, "edge1", FailPolicy.OPEN, true)).toList();
        final Snapshot base = Fixtures.network();
        final Snapshot snapshot = Snapshot.of(List.of(Fixtures.edge()), base.backbone(), List.of(), functions,
            List.of(new Chain("long", functions.stream().map(NetworkFunction::name).toList())), List.of(),
            new ArrayList<>(base.acls().values()));
        assertThat(check(snapshot)).singleElement().satisfies(violation -> {
            assertThat(violation.entry()).isEqualTo("chain long");
            assertThat(violation.rule()).isEqualTo("9 functions are more than 8");
        });
    }

    @Test
    void aFunctionThatIsNotSharedServesOneTenant() {
        final Snapshot base = Fixtures.network(chained("a", 100), chained("b", 101));
        final Snapshot dedicated = base.withFunctions(List.of(
            new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, false),
            new NetworkFunction("tap", "edge1", FailPolicy.OPEN, true)));
        assertThat(check(base)).isEmpty();
        assertThat(check(dedicated)).singleElement().satisfies(violation ->
            assertThat(violation.rule()).isEqualTo("function fw is not shared, and tenant a uses it"));
    }

    @Test
    void rulesForChainsAreClear() {
        final Tenant tenant = Fixtures.rich();
        assertThat(check(Chained.ruled())).isEmpty();
        final Snapshot wrong = Fixtures.network(tenant.with(List.of(
            new ChainRule("a", 7, "web-only", ChainRule.Ways.BOTH, Optional.of("nowhere")),
            new ChainRule("b", 7, "keep-out", ChainRule.Ways.BOTH, Optional.empty()),
            new ChainRule("c", 8, "nothing", ChainRule.Ways.BOTH, Optional.empty()))));
        assertThat(check(wrong)).extracting(Violation::leaf).containsExactly("chain-rule a / chain",
            "chain-rule b / priority", "chain-rule b / acl", "chain-rule c / acl");
        assertThat(check(wrong)).extracting(Violation::rule).contains(
            "rule a has priority 7 as well; every rule of a tenant needs another priority",
            "entry no-private of list keep-out does not accept; every entry of a chain-rule's list has to");
    }

    @Test
    void instancesHaveNamesOfTheirOwn() {
        final Snapshot base = Chained.spread();
        assertThat(check(base)).isEmpty();
        final NetworkFunction fw = base.functions().get("fw");
        assertThat(check(base.withFunctions(List.of(fw, new NetworkFunction("fw1", "edge1", FailPolicy.OPEN, true),
            base.functions().get("tap"))))).singleElement().hasToString(
            "function fw1: name: function fw has the ports fw1-in and fw1-out");
    }

    @Test
    void anEntryTheDataPlaneCannotExpressIsRefused() {
        final Acl acl = new Acl("odd", List.of(new Acl.Entry("six", true, Matches.ANY,
            List.of("matches/ipv6/protocol"))));
        final Snapshot snapshot = Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(),
            List.of(acl));
        assertThat(check(snapshot)).singleElement().hasToString(
            "acl odd: ace six / matches/ipv6/protocol: the data plane cannot express it");
    }

    @Test
    void aListHasAsManyEntriesAsThereArePriorities() {
        final Acl.Entry entry = new Acl.Entry("e", true, Matches.ANY, List.of());
        for (final int more : new int[] {0, 1}) {
            final Acl acl = new Acl("long", Collections.nCopies(Priority.ACL_ENTRIES + more, entry));
            assertThat(check(Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(),
                List.of(acl)))).extracting(Violation::leaf).isEqualTo(more == 0 ? List.of() : List.of("aces"));
        }
        assertThat(Priority.aclEntry(Priority.ACL_ENTRIES - 1)).isGreaterThan(Priority.LOW);
    }

    @Test
    void aBranchBeginsAtASecondOutputAndHasFunctionsOfItsOwn() {
        final Snapshot good = Chained.branched();
        assertThat(check(good)).isEmpty();
        assertThat(branched(good, "fw", "tap")).containsExactly(
            "chain secure: function: a function may occur only once in a chain and its branch");
        assertThat(branched(good, "tap", "scrub")).containsExactly(
            "chain secure: branch / at: function tap has no second-output");
        assertThat(branched(good, "scrub", "watch")).containsExactly(
            "chain secure: branch / at: function scrub is not in the chain");
        assertThat(branched(good, "fw", "nobody")).containsExactly(
            "chain secure: branch / function: there is no function 'nobody'; known: fw, scrub, tap, watch");
        assertThat(branched(good, "fw")).isEmpty();
        final NetworkFunction fw = good.functions().get("fw");
        assertThat(texts(good.withFunctions(List.of(fw.spread(new NetworkFunction.Instance("fw1",
            NetworkFunction.State.IN_SERVICE, 1)), good.functions().get("tap"), good.functions().get("scrub"),
            good.functions().get("watch"))))).containsExactly(
                "function fw: instance: a function with second-output has one instance, of its own name");
    }

    private static List<String> branched(final Snapshot good, final String at, final String... functions) {
        final Map<String, Chain> chains = new TreeMap<>(good.chains());
        chains.put("secure", new Chain("secure", List.of("fw", "tap"),
            Optional.of(new Chain.Branch(at, List.of(functions)))));
        return texts(new Snapshot(good.nodes(), good.backbone(), good.pools(), good.functions(),
            new TreeMap<>(chains), good.tenants(), good.acls()));
    }

    @Test
    void connectionsHaveRoomForEightInstances() {
        final Snapshot plain = Chained.ruled();
        final List<NetworkFunction> functions = new ArrayList<>();
        for (int number = 0; number < 9; number++) {
            functions.add(new NetworkFunction("f" + number, "edge1", FailPolicy.OPEN, true).spread(
                new NetworkFunction.Instance("f" + number, NetworkFunction.State.IN_SERVICE, 1)));
        }
        final List<String> names = functions.stream().map(NetworkFunction::name).toList();
        assertThat(texts(new Snapshot(plain.nodes(), plain.backbone(), plain.pools(),
            plain.withFunctions(functions).functions(), new TreeMap<>(Map.of(
                "secure", new Chain("secure", names.subList(0, 4)), "web", new Chain("web", names.subList(4, 8)),
                "short", new Chain("short", names.subList(8, 9)))), plain.tenants(), plain.acls()))).containsExactly(
                    "tenant rich: chain: 9 functions with instances or a second output are more than 8");
    }

    @Test
    void aRouterServesOneTenantAndClashesWithNobody() {
        final Snapshot good = Chained.routed();
        assertThat(check(good)).isEmpty();
        final NetworkFunction fw = good.functions().get("fw");
        final NetworkFunction router = new NetworkFunction("tap", "edge1", FailPolicy.OPEN, true);
        final Link inside = Routed.DEFAULT.inside();
        assertThat(texts(good.withFunctions(List.of(fw, router.with(new Routed(inside, inside)))))).containsExactly(
            "function tap: shared: has to be false: the links of a router have no 802.1Q tags, so it serves one tenant",
            "function tap: routed / outside / address: 169.254.81.2 is routed / inside / address",
            "function tap: routed / outside / gateway: 169.254.81.1 is routed / inside / gateway");
        assertThat(texts(good.withFunctions(List.of(fw, new NetworkFunction("tap", "edge1", FailPolicy.OPEN, false)
            .with(new Routed(new Link(Ipv4.parse("169.254.80.2"), inside.gateway(), new Mac(0x0125_0000_0001L)),
                new Link(Ipv4.parse("10.1.0.77"), Routed.DEFAULT.outside().gateway(), Constants.CHAIN_INSIDE_MAC)))))))
            .containsExactly("function tap: routed / inside / address: 169.254.80.2 is reserved for probes",
                "function tap: routed / inside / mac: 01:25:00:00:00:01 is not a unicast address",
                "function tap: routed / outside / mac: 02:50:53:ff:00:01 is a MAC address of the switch",
                "tenant rich: chain: function tap has 10.1.0.77, which is in 10.1.0.0/16 of this tenant");
        final Tenant chained = DualStack.chained();
        assertThat(texts(DualStack.network(chained).withFunctions(List.copyOf(good.functions().values()))))
            .containsExactly("tenant " + chained.name()
                + ": chain: function tap routes IPv4 only, and the tenant has ipv6");
    }

    private static List<String> texts(final Snapshot snapshot) {
        return check(snapshot).stream().map(Violation::toString).toList();
    }

    private static List<Violation> check(final Snapshot snapshot) {
        return Validator.validate(snapshot, Allocations.none());
    }

    private static Tenant chained(final String name, final int vlan) {
        final Tenant base = Fixtures.tenant(name, vlan);
        return new Tenant(base.name(), base.attachments(), base.subnets(), base.routes(), base.nat(),
            base.egressAcl(), Optional.of("secure"));
    }
}
