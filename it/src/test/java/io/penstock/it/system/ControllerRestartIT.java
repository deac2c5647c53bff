// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.it.Datagrams;
import io.penstock.it.Requirement;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * The controller ends and starts again on a node with a thousand tenants. Some of them have traffic, port blocks, a
 * zone of names, and a crowd of DHCP clients that come and go all the time. One restart takes 20 to 40 seconds on a
 * busy machine, so each serves many assertions.
 */
@Tag("safety")
@Tag("deep")
@Tag("restart")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class ControllerRestartIT {
    private static final int VLAN = 100;
    private static final int FIRST_OF_MANY = 1000;
    private static final int MANY = 1000;
    private static final String CROWD = "crowd";
    private static final int CROWD_VLAN = 3200;
    private static final int CLIENTS = 60;
    private static final int CITY_VLAN = 300;
    private static final String CITY_ADDRESS = "198.18.7.7";
    private static final int BLOCK_SIZE = 16;
    private static final int ECHO = 7007;
    private static final int NAMES_VLAN = 872;
    private static final String NAME = "www.corp.example";
    private static final String NAMED = "10.0.0.90";
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final long SEED = Long.getLong("penstock.restart.seed", System.nanoTime());

    private final Random random = new Random(SEED);
    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;
    private final Host city;
    private final Host named;
    private DhcpClient witness;
    private ManyClients clients;

    ControllerRestartIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
        city = node.host(CITY_VLAN);
        named = node.host(NAMES_VLAN);
    }

    @BeforeAll
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void provision() {
        system.reset();
        node.network().transit().route(CITY_ADDRESS + "/32", EdgeNode.BACKBONE_ADDRESS);
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", Stream.concat(Stream.of(
            Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL),
            Intent.tenant("gamma", system.second(), VLAN, Intent.SECOND_POOL),
            Intent.tenant(CROWD, node, CROWD_VLAN, Intent.FIRST_POOL, """
                'dhcp': {'conflict-probe': 50, 'subnet': [{'prefix': '10.0.0.0/24', 'lease-time': 600,
                  'pool': [{'first': '10.0.0.100', 'last': '10.0.0.%d'}]}]},
                'quota': {'controller-packets': 1000}""".formatted(100 + CLIENTS)),
            Intent.tenant("names", node, NAMES_VLAN, Intent.FIRST_POOL, """
                'dns': {'domain': 'corp.example',
                        'record': [{'name': 'www', 'type': 'A', 'data': '%s', 'ttl': 1}]}""".formatted(NAMED)),
            Intent.translated(Intent.tenant("city", node, CITY_VLAN, Intent.FIRST_POOL), """
                {'port-block': [{'inside-prefix': '10.0.0.0/24', 'public-prefix': '%s/32', 'block-size': %d,
                 'most-blocks': 2}]}""".formatted(CITY_ADDRESS, BLOCK_SIZE))),
            IntStream.range(0, MANY).mapToObj(index -> Intent.translated(
                Intent.tenant("tenant-" + index, node, FIRST_OF_MANY + index, Intent.FIRST_POOL),
                "{'public-address': '100.64.%d.%d'}".formatted(index >> Byte.SIZE, index & 0xff)))).toList()));
        system.awaitApplied();
        system.awaitSync();
        host.reaches(EdgeNetwork.SERVER);
        TcpStream.serve(node);
        Datagrams.echo(node.network().server(), ECHO);
        Await.until("connections need two blocks", PATIENCE, this::answeredOfTwoBlocks,
            count -> count == 2 * BLOCK_SIZE);
        Await.until("the zone is answered for", PATIENCE, this::resolved, NAMED::equals);
        witness = new DhcpClient(node.network().host(EdgeNode.ACCESS, CROWD_VLAN));
        witness.udhcpc();
        witness.host().reaches(EdgeNetwork.SERVER);
        Figures.tell("DHCP and restarts of the controller, seed", Long.toString(SEED));
        clients = new ManyClients(node.network().host(EdgeNode.ACCESS, CROWD_VLAN), CLIENTS, random.nextInt());
    }

    @AfterAll
    void stop() {
        clients.close();
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    @Requirement(rfc = 6888, number = {"4a", "13"})
    void aControllerThatIsKilledIsNotMissed() {
        restart("controller with 1000 tenants kill -9 and start", () -> system.controller().kill());
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void aControllerThatIsStoppedIsNotMissed() {
        restart("controller with 1000 tenants stop and start", () -> system.controller().stop());
    }

    private void restart(final String what, final Runnable end) {
        final JsonArray allocations = allocations();
        final List<Integer> blocks = blocks();
        assertThat(blocks).hasSize(2).doesNotHaveDuplicates();
        final int crowd = system.vrf(CROWD);
        final List<String> flows = node.flowsExceptOf(crowd);
        assertThat(flows).hasSizeGreaterThan(MANY);
        try (PingStream pings = new PingStream(node, host, EdgeNetwork.SERVER);
                PingStream leased = new PingStream(node, witness.host(), EdgeNetwork.SERVER);
                TcpStream tcp = new TcpStream(node, host)) {
            pings.awaitMore();
            leased.awaitMore();
            tcp.awaitMore();
            // Somewhere between two leases.
            clients.awaitMore(CLIENTS + random.nextInt(CLIENTS), PATIENCE);
            final Instant begun = Instant.now();
            end.run();
            pings.awaitMore();
            assertThat(resolved()).isEqualTo(NAMED);
            assertThat(answeredOfTwoBlocks()).isEqualTo(2 * BLOCK_SIZE);
            system.controller().start();
            clients.awaitMore(1, PATIENCE);
            Figures.tell(what + ", until a host gets a lease", Duration.between(begun, Instant.now()));
            system.awaitApplied();
            final Duration since = Duration.between(begun, Instant.now());
            assertThat(node.youngestFlowExceptOf(crowd)).isGreaterThanOrEqualTo(since);
            assertThat(node.flowsExceptOf(crowd)).isEqualTo(flows);
            assertThat(allocations()).isEqualTo(allocations);
            system.awaitState("acme", "active");
            system.awaitState("gamma", "active");
            pings.awaitMore();
            leased.awaitMore();
            tcp.awaitMore();
            Figures.tell(what + ", longest time without an answer", pings.longestGapSince(begun));
            Figures.tell(what + ", pings lost at 50 a second", Integer.toString(pings.lost()));
            assertThat(pings.lost()).isZero();
            assertThat(leased.lost()).isZero();
        }
        theJournalIsWhole(blocks);
        noAddressIsLeasedTwice();
    }

    private void theJournalIsWhole(final List<Integer> blocks) {
        assertThat(blocks()).isEqualTo(blocks);
        final String penstock = ControllerUnderTest.ROOT.resolve("penstock").toString();
        final String journal = system.controller().natJournal().toString();
        assertThat(Shell.PLAIN.run(penstock, "nat-owner", CITY_ADDRESS, Integer.toString(blocks.get(1)), "--directory",
            journal)).contains("10.0.0.5");
        assertThat(Shell.PLAIN.run(penstock, "nat-verify", "--directory", journal)).startsWith("whole: ");
    }

    /** The clients stop where they are, all is stored as they have it, and they begin again. */
    private void noAddressIsLeasedTwice() {
        clients.awaitMore(CLIENTS, PATIENCE);
        Figures.tell("leases given beside restarts", Long.toString(clients.acknowledged()));
        final SortedMap<String, String> holders = clients.stop();
        assertThat(holders).isNotEmpty();
        system.awaitSync();
        assertThat(bound()).containsAllEntriesOf(holders).containsEntry(witness.address(), witness.host().mac());
        clients = new ManyClients(node.network().host(EdgeNode.ACCESS, CROWD_VLAN), CLIENTS, random.nextInt());
    }

    private int answeredOfTwoBlocks() {
        return Datagrams.answeredSoon(city, EdgeNetwork.SERVER, ECHO, 2 * BLOCK_SIZE);
    }

    private String resolved() {
        return named.shell().attempt("dig", "@" + Intent.GATEWAY, "+short", "+timeout=1", "+tries=1", NAME).output()
            .strip();
    }

    /** All that is allocated, but for the tenant whose hosts get addresses all the time. */
    private JsonArray allocations() {
        final JsonArray others = new JsonArray();
        tenants().filter(tenant -> !name(tenant).equals(CROWD)).forEach(others::add);
        return others;
    }

    /** First ports of the blocks of 10.0.0.5. */
    private List<Integer> blocks() {
        return entries(tenants().filter(tenant -> name(tenant).equals("city")).findFirst().orElseThrow(), "block")
            .map(block -> block.get("first-port").getAsInt()).toList();
    }

    /** MAC addresses by the addresses that are bound. */
    private Map<String, String> bound() {
        final Map<String, String> bound = new TreeMap<>();
        tenants().flatMap(tenant -> entries(tenant, "lease"))
            .filter(lease -> lease.get("state").getAsString().equals("bound"))
            .forEach(lease -> bound.put(lease.get("address").getAsString(), lease.get("mac").getAsString()));
        return bound;
    }

    private Stream<JsonObject> tenants() {
        return entries(JsonParser.parseString(system.allocations()).getAsJsonObject()
            .getAsJsonObject("penstock-allocation:allocations"), "tenant");
    }

    private static String name(final JsonObject tenant) {
        return tenant.get("name").getAsString();
    }

    private static Stream<JsonObject> entries(final JsonObject owner, final String list) {
        return owner.has(list)
            ? StreamSupport.stream(owner.getAsJsonArray(list).spliterator(), false).map(JsonElement::getAsJsonObject)
            : Stream.empty();
    }
}
