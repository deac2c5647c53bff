// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.it.Datagrams;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * What is there after the controller and a switch were killed, one after the other: all that was configured, handed out
 * and found out, and the traffic of tenants. Single requests and packets show it. What traffic notices meanwhile, and
 * for how long, is in {@link ControllerRestartIT} and {@link RestartIT}.
 */
@Tag("safety")
@OnSystem
@Order(OnSystem.LAST)
@TestInstance(Lifecycle.PER_CLASS)
class AfterRestartIT {
    private static final int WEB = 80;
    private static final int ECHO = 7007;
    private static final String LEASED = "leased";
    private static final int LEASED_VLAN = 320;
    private static final String CITY = "city";
    private static final int CITY_VLAN = 300;
    private static final String CITY_ADDRESS = "198.18.7.7";
    private static final String SUBSCRIBER = "10.0.0.5";
    private static final int BLOCK_SIZE = 16;
    private static final String JUDGED = "judged";
    private static final int JUDGED_VLAN = 321;
    private static final String OLD = "ar1";
    private static final String NEW = "ar2";

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host city;
    private DhcpClient client;
    private String address;
    private String publicAddress;
    private State before;

    /** What has to be the same. */
    private record State(JsonObject configuration, JsonArray allocations, List<Integer> blocks, JsonObject verdict) { }

    AfterRestartIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        city = node.host(CITY_VLAN);
    }

    @BeforeAll
    void provision() {
        system.reset();
        node.network().transit().route(CITY_ADDRESS + "/32", EdgeNode.BACKBONE_ADDRESS);
        function("'instance': [{'name': '" + OLD + "'}]");
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain(JUDGED, "ar"))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant(LEASED, node, LEASED_VLAN, Intent.FIRST_POOL, """
                'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'lease-time': 7200,
                  'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}"""),
            Intent.translated(Intent.tenant(CITY, node, CITY_VLAN, Intent.FIRST_POOL), """
                {'port-block': [{'inside-prefix': '10.0.0.0/24', 'public-prefix': '%s/32', 'block-size': %d,
                 'most-blocks': 2}]}""".formatted(CITY_ADDRESS, BLOCK_SIZE)),
            Intent.tenant(JUDGED, node, JUDGED_VLAN, Intent.FIRST_POOL, "'chain': '" + JUDGED + "'"))));
        system.awaitApplied();
        node.network().server().serveTcp(WEB);
        Datagrams.echo(node.network().server(), ECHO);
        client = new DhcpClient(node.network().host(EdgeNode.ACCESS, LEASED_VLAN));
        address = client.udhcpc();
        publicAddress = system.publicAddress(LEASED);
        judge();
        tenantsHaveService();
    }

    @BeforeEach
    void remember() {
        system.awaitSync();
        before = state();
        assertThat(before.blocks()).hasSize(2).doesNotHaveDuplicates();
        assertThat(before.verdict().get("state").getAsString()).isEqualTo("back");
    }

    private void function(final String more) {
        system.restconf().put(Intent.NETWORK + "/function=ar", Intent.list("function", List.of(
            "{'name': 'ar', 'node': '" + node.name() + "', 'health-check': {'interval': 200, 'lost': 20, 'hold': 2}, "
            + more + "}")));
    }

    /** A new version of the function that fails while it is measured. */
    private void judge() {
        node.functions().start(OLD, "forwarder", "normal");
        awaitInstance(OLD, "in-service");
        function("'instance': [{'name': '" + OLD + "'}, {'name': '" + NEW + "'}], 'canary': {'version': 'failing', "
            + "'instance': ['" + NEW + "'], 'share': 50, 'duration': 600}");
        Await.until("the controller knows the new version", () -> !verdict().isEmpty());
        node.functions().start(NEW, "forwarder", "normal");
        Await.until("it is measured", () -> verdict().get("state").getAsString(), "judging"::equals);
        node.killFunction(NEW);
        Await.until("it is judged", this::verdict, verdict -> verdict.has("decided"));
        node.functions().start(NEW, "forwarder", "normal");
        awaitInstance(NEW, "draining, canary failing judged back");
    }

    private void awaitInstance(final String instance, final String state) {
        Await.until(instance + " is " + state, () -> system.instance("ar", instance).get("state").getAsString(),
            state::equals);
    }

    @AfterAll
    void stopFunctions() {
        List.of(OLD, NEW).forEach(node.functions()::stop);
    }

    @Test
    void afterTheControllerAllIsAsItWasAndNoFlowWasTouched() {
        final List<Integer> vrfs = Stream.of(LEASED, CITY).map(system::vrf).toList();
        final List<List<String>> flows = vrfs.stream().map(node::plannedFlowsOf).toList();
        assertThat(flows).noneMatch(List::isEmpty);
        final Instant killed = Instant.now();
        system.controller().kill();
        tenantsHaveService();
        system.controller().start();
        system.awaitApplied();
        awaitInstance(NEW, "draining, canary failing judged back");
        system.awaitSync();
        final Duration since = Duration.between(killed, Instant.now());
        assertThat(vrfs).allSatisfy(vrf -> assertThat(node.youngestFlowOf(vrf)).isGreaterThan(since));
        assertThat(vrfs.stream().map(node::plannedFlowsOf).toList()).isEqualTo(flows);
        allIsAsItWas();
    }

    @Test
    void afterTheSwitchAllIsAsItWas() {
        node.killSwitch();
        node.up();
        system.awaitSync();
        allIsAsItWas();
    }

    private void allIsAsItWas() {
        assertThat(state()).isEqualTo(before);
        theJournalIsWhole();
        tenantsHaveService();
        assertThat(client.udhcpc()).as("the host gets its address again").isEqualTo(address);
        system.restconf().put(Intent.path("late"),
            Intent.tenants(List.of(Intent.tenant("late", node, JUDGED_VLAN + 1, Intent.FIRST_POOL))));
        system.awaitState("late", "active");
        system.restconf().delete(Intent.path("late"));
        system.awaitSync();
    }

    /** New connections of both, from the addresses that they had; those of one need both of its port blocks. */
    private void tenantsHaveService() {
        client.host().reaches(EdgeNetwork.SERVER);
        assertThat(client.host().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(publicAddress);
        Await.until("connections need two blocks and get them", () -> Datagrams.answeredSoon(city, EdgeNetwork.SERVER,
            ECHO, 2 * BLOCK_SIZE), count -> count == 2 * BLOCK_SIZE);
    }

    private void theJournalIsWhole() {
        final String penstock = ControllerUnderTest.ROOT.resolve("penstock").toString();
        final String journal = system.controller().natJournal().toString();
        for (final int port : before.blocks()) {
            assertThat(Shell.PLAIN.run(penstock, "nat-owner", CITY_ADDRESS, Integer.toString(port), "--directory",
                journal)).contains(SUBSCRIBER);
        }
        assertThat(Shell.PLAIN.run(penstock, "nat-verify", "--directory", journal)).startsWith("whole: ");
    }

    private State state() {
        final JsonArray allocations = JsonParser.parseString(system.allocations()).getAsJsonObject()
            .getAsJsonObject("penstock-allocation:allocations").getAsJsonArray("tenant");
        return new State(system.storedWithout(""), allocations, blocks(allocations), verdict());
    }

    /** First ports of the blocks of the subscriber. */
    private static List<Integer> blocks(final JsonArray allocations) {
        return EdgeSystem.list(named(allocations, CITY), "block").map(block -> block.get("first-port").getAsInt())
            .toList();
    }

    private static JsonObject named(final JsonArray tenants, final String name) {
        return StreamSupport.stream(tenants.spliterator(), false).map(JsonElement::getAsJsonObject)
            .filter(tenant -> tenant.get("name").getAsString().equals(name)).findFirst().orElseThrow();
    }

    /** What is said of the new version; empty while nothing is. */
    private JsonObject verdict() {
        return EdgeSystem.list(system.function("ar"), "canary").findFirst().orElseGet(JsonObject::new);
    }
}
