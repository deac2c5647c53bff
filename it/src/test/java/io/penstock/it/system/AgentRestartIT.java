// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The agent of a node and the resolvers of tenants die while hosts ask, and while the controller has orders. */
@Tag("deep")
@Tag("restart")
@OnSystem
class AgentRestartIT {
    private static final int FIRST_VLAN = 875;
    private static final int SECOND_VLAN = 876;
    private static final int CROWD_VLAN = 3300;
    private static final int CROWD = 12;
    private static final int KILLS = 3;
    private static final String NAME = "www.corp.example";
    private static final String FIRST_WEB = "10.0.0.80";
    private static final String SECOND_WEB = "10.0.0.81";
    private static final Duration PATIENCE = Await.PATIENCE;
    /** A resolver that died is started at once, some tenths of a second on a quiet machine. */
    private static final Duration BOUND = Duration.ofSeconds(15);

    private final EdgeSystem system;
    private final EdgeNode node;
    private final NodeAgent agent;

    AgentRestartIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        agent = new NodeAgent(node);
    }

    @BeforeEach
    void provide() {
        system.reset();
        apply(List.of(tenant("first", FIRST_VLAN, FIRST_WEB, 5000), tenant("second", SECOND_VLAN, SECOND_WEB, 6000)));
        enableIpv6(SECOND_VLAN);
        awaitResolver("first");
        awaitResolver("second");
        Await.until("the limits are set", PATIENCE, agent::limits, limits -> limits.containsAll(wantedLimits()));
    }

    @AfterEach
    void silence() {
        node.host(SECOND_VLAN).shell()
            .run("sysctl", "-qw", "net.ipv6.conf." + Host.DEVICE + ".disable_ipv6=1");
    }

    @Test
    void answersGoOnWithoutTheAgentAndTheNextOneTakesOver() {
        final DhcpClient client = new DhcpClient(node.network().host(EdgeNode.ACCESS, FIRST_VLAN));
        final List<Long> resolvers = resolvers();
        final List<String> limits = agent.limits();
        try (QueryStream first = new QueryStream(node.host(FIRST_VLAN), Intent.GATEWAY, NAME);
                QueryStream second = new QueryStream(node.host(SECOND_VLAN), gateway6(SECOND_VLAN), NAME)) {
            agent.keepDown();

            client.udhcpc("-x", "hostname:till");
            first.awaitMore();
            second.awaitMore();
            assertThat(lookUp(client.host(), "till.corp.example")).isEmpty();
            assertThat(agent.limits()).isEqualTo(limits);

            final Instant again = Instant.now();
            agent.start();
            awaitName(client, "till");
            Figures.tell("start of the agent after kill -9, until a lease given meanwhile has its name",
                Duration.between(again, Instant.now()));
            awaitResolver("first");
            awaitResolver("second");
            assertUninterrupted(first, FIRST_WEB);
            assertUninterrupted(second, SECOND_WEB);
        }
        assertThat(resolvers()).isEqualTo(resolvers);
        assertThat(agent.limits()).isEqualTo(limits);
    }

    @Test
    void anAgentThatDiesWhileItStartsResolversLeavesOneOfEach() {
        final List<Long> resolvers = resolvers();
        try (QueryStream first = new QueryStream(node.host(FIRST_VLAN), Intent.GATEWAY, NAME);
                QueryStream second = new QueryStream(node.host(SECOND_VLAN), gateway6(SECOND_VLAN), NAME)) {
            final List<String> crowd = IntStream.range(0, CROWD)
                .mapToObj(number -> tenant("crowd" + number, CROWD_VLAN + number, "10.0.0.82", 100 + number)).toList();
            // Without waiting for the agent, which is to die meanwhile.
            system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", crowd));
            for (int kill = 1; kill <= KILLS; kill++) {
                final int some = kill;
                Await.until("some resolvers are there", PATIENCE, () -> crowdedResolvers() >= some);
                NodeAgent.kill(Await.until("the agent works", PATIENCE, agent::worker, each -> each.isPresent())
                    .orElseThrow());
            }
            for (int number = 0; number < CROWD; number++) {
                awaitResolver("crowd" + number);
            }
            assertUninterrupted(first, FIRST_WEB);
            assertUninterrupted(second, SECOND_WEB);
        }
        for (int number = 0; number < CROWD; number++) {
            assertThat(agent.resolvers(system.vrf("crowd" + number))).hasSize(1);
        }
        assertThat(resolvers()).isEqualTo(resolvers);
        assertThat(agent.limits()).containsAll(wantedLimits())
            .as("zones of translations and of lists").hasSize(2 * (2 + CROWD));
    }

    @Test
    void aResolverThatDiesComesBackAndTheOtherTenantLosesNothing() {
        final DhcpClient client = new DhcpClient(node.network().host(EdgeNode.ACCESS, FIRST_VLAN));
        final int vrf = system.vrf("first");
        final List<Long> before = resolvers();
        try (QueryStream first = new QueryStream(node.host(FIRST_VLAN), Intent.GATEWAY, NAME);
                QueryStream second = new QueryStream(node.host(SECOND_VLAN), gateway6(SECOND_VLAN), NAME)) {
            // The agent that starts another one has not started this one.
            NodeAgent.kill(agent.worker().orElseThrow());
            client.udhcpc("-x", "hostname:desk");
            awaitName(client, "desk");
            NodeAgent.kill(agent.resolver(vrf).orElseThrow());
            Await.until("another resolver runs", PATIENCE, () -> agent.resolver(vrf).isPresent());
            first.awaitMore();
            second.awaitMore();
            awaitResolver("first");
            Figures.tell("kill -9 of a resolver, longest time without an answer", first.longestGap());
            assertThat(first.longestGap()).isLessThan(BOUND);
            assertThat(first.said()).containsExactly(FIRST_WEB);
            assertUninterrupted(second, SECOND_WEB);
        }
        final List<Long> after = resolvers();
        assertThat(after.get(0)).isNotEqualTo(before.get(0));
        assertThat(after.get(1)).isEqualTo(before.get(1));
    }

    private static void assertUninterrupted(final QueryStream stream, final String answer) {
        stream.awaitMore();
        assertThat(stream.lost()).isEmpty();
        assertThat(stream.said()).containsExactly(answer);
    }

    private long crowdedResolvers() {
        return IntStream.range(0, CROWD).filter(number -> system.tenant("crowd" + number).isPresent()
            && agent.resolver(system.vrf("crowd" + number)).isPresent()).count();
    }

    /** Process ids of the resolvers of both tenants, of which each has exactly one. */
    private List<Long> resolvers() {
        final List<Long> pids = new ArrayList<>();
        for (final String tenant : List.of("first", "second")) {
            assertThat(agent.resolvers(system.vrf(tenant))).singleElement().satisfies(each -> pids.add(each.pid()));
        }
        return pids;
    }

    private List<String> wantedLimits() {
        return List.of("zone=" + system.vrf("first") + ",limit=5000", "zone=" + system.vrf("second") + ",limit=6000");
    }

    /** Waits until the agent says that a tenant's resolver is as ordered. */
    private void awaitResolver(final String tenant) {
        Await.until("the resolver of " + tenant + " is ok", PATIENCE, () -> system.tenant(tenant).map(
            JsonObject::toString).orElse(""), text -> text.contains("\"resolver\":\"ok\""));
    }

    private void apply(final List<String> tenants) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", tenants));
        system.awaitApplied();
    }

    private String tenant(final String name, final int vlan, final String web, final int sessions) {
        return Intent.tenant(name, node, vlan, Intent.FIRST_POOL, """
            'dhcp': {'conflict-probe': 0, 'subnet': [{'prefix': '10.0.0.0/24',
                     'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]},
            'dns': {'domain': 'corp.example', 'record': [{'name': 'www', 'type': 'A', 'data': '%s'}]},
            'ipv6': {'subnet': [{'prefix': '%s'}]}, 'quota': {'sessions': %d}"""
            .formatted(web, gateway6(vlan).replace("::1", "::/64"), sessions));
    }

    private static String gateway6(final int vlan) {
        return "2001:db8:" + vlan + "::1";
    }

    private void enableIpv6(final int vlan) {
        final Host host = node.host(vlan);
        host.shell().run("sysctl", "-qw", "net.ipv6.conf." + Host.DEVICE + ".disable_ipv6=0");
        host.shell().run("ip", "-6", "address", "replace", gateway6(vlan).replace("::1", "::5/64"), "dev", Host.DEVICE,
            "nodad");
    }

    private static void awaitName(final DhcpClient client, final String name) {
        Await.until("the host has its name", PATIENCE, () -> lookUp(client.host(), name + ".corp.example"),
            client.address()::equals);
    }

    private static String lookUp(final Host host, final String name) {
        return host.shell().attempt("dig", "@" + Intent.GATEWAY, "+short", "+timeout=1", "+tries=1", name).output()
            .strip();
    }
}
