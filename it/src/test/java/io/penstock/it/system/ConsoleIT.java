// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the operator on shift sees. */
@OnSystem
class ConsoleIT {
    private static final int VLAN = 100;
    private static final String MARK = "= = =";
    private static final String TRACE =
        "penstock:chain-trace acme 10.0.0.5 " + EdgeNetwork.SERVER + " tcp 40000 80";

    private final EdgeSystem system;
    private final EdgeNode node;

    ConsoleIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void provision() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function",
            List.of(Intent.function("tap", node, "open", true))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("watched", "tap"))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL, "'chain': 'watched'"),
            Intent.tenant("beta", system.second(), VLAN, Intent.SECOND_POOL))));
        system.awaitState("acme", "active, bypassing function tap");
        system.awaitSync();
    }

    /** What each of some commands prints. A client takes seconds to start, so all go through one. */
    private List<String> console(final String... commands) {
        final String[] lines = new String[commands.length * 2];
        for (int index = 0; index < commands.length; index++) {
            lines[index * 2] = "shell:echo '" + MARK + "'";
            lines[index * 2 + 1] = commands[index];
        }
        final List<String> parts = List.of(system.controller().console(lines).split("(?m)^.*" + MARK + ".*$\\R?"));
        assertThat(parts).hasSize(commands.length + 1);
        return parts.subList(1, parts.size());
    }

    private static String row(final String table, final String first) {
        return table.lines().filter(line -> line.strip().matches(first + "\\b.*")).findFirst()
            .orElseThrow(() -> new AssertionError("no row " + first + " in\n" + table));
    }

    @Test
    void tablesForPeople() {
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        final List<String> printed = console("penstock:node list", "penstock:tenant list",
            "penstock:tenant show acme", "penstock:chain list", "penstock:flow-list acme",
            "penstock:flow-list --text --node " + system.second().name(), "penstock:verify", "penstock:nat-list",
            "penstock:limits acme", "penstock:limits --node " + system.second().name(),
            "penstock:leases", "penstock:dhcp-messages --tenant acme", "penstock:function list",
            "penstock:function-canary tap", TRACE, "penstock:hosts acme", "penstock:hosts beta",
            "penstock:interfaces " + node.name(), "penstock:interfaces " + node.name() + " acc0",
            "penstock:drops --nonzero",
            "penstock:tenant list | grep beta", "penstock:history acme");
        final String planned = system.verify(node).get("planned").getAsString();
        assertThat(row(printed.get(0), node.name())).contains("true", "netdev", "DPDK", planned);
        assertThat(row(printed.get(1), "acme")).contains(Integer.toString(system.vrf("acme")),
            node.name() + "/acc0/" + VLAN, system.publicAddress("acme"), "watched", "active, bypassing function tap");
        assertThat(row(printed.get(1), "beta")).contains(system.publicAddress("beta"), "active");
        assertThat(printed.get(2)).contains("acme", system.publicAddress("acme"), "packets");
        assertThat(row(printed.get(2), "learned hosts")).contains("1");
        assertThat(row(printed.get(2), "dropped by flows")).contains("packets");
        assertThat(row(printed.get(3), "watched")).contains("tap (down)");
        assertThat(printed.get(4)).contains("classify", "nat_out", "acme").doesNotContain("beta");
        assertThat(printed.get(5)).contains("priority=", "actions=", "beta").doesNotContain("acme");
        assertThat(row(printed.get(6), node.name())).contains("none");
        assertThat(row(printed.get(7), "pool " + Intent.SMALL_POOL)).contains("2 addresses");
        assertThat(row(printed.get(8), node.name())).contains("acme", "slow-path", "500 packets", "1000");
        assertThat(printed.get(8)).containsPattern("acme +\\| neighbour +\\| 50 packets +\\| 100 ");
        assertThat(printed.get(8)).doesNotContain("beta", "backbone-errors");
        assertThat(printed.get(9)).contains("beta", "neighbour").doesNotContain("acme");
        assertThat(printed.get(10)).contains("host name", "nothing");
        assertThat(printed.get(11)).contains("message", "nothing");
        assertThat(row(printed.get(12), "tap")).contains("down", "in-service, down");
        assertThat(printed.get(13)).contains("version", "dropped", "nothing");
        assertThat(row(printed.get(14), "outbound")).contains("watched", "tap", "bypassed: down, open");
        assertThat(row(printed.get(14), "agrees")).isNotEmpty();
        assertThat(row(printed.get(15), node.name())).contains("lan", host.address());
        assertThat(printed.get(16)).contains("addresses", "nothing");
        assertThat(row(printed.get(17), "acc0")).contains("true");
        assertThat(printed.get(17)).contains("rx packets", "tx errors", "up0");
        assertThat(printed.get(18)).contains("acc0").doesNotContain("up0");
        assertThat(printed.get(19)).contains("reason");
        assertThat(printed.get(20)).contains("beta").doesNotContain("VRF", "acme");
        assertThat(row(printed.get(21), "20\\S+Z")).contains("admin", "127.0.0.1", "tenant acme");
    }

    /** One that fails ends no other, so all go through one client; the error of each names its line. */
    @Test
    void aMistakeIsNamed() {
        final List<List<String>> mistakes = List.of(
            List.of("penstock:tenant show absent", "there is no tenant 'absent'"),
            List.of("penstock:tenant drop acme", "there is no action 'drop': use list or show"),
            List.of("penstock:hosts absent", "there is no tenant 'absent'"),
            List.of("penstock:interfaces " + node.name() + " none", "has no port 'none'"),
            List.of("penstock:limits absent", "there is no tenant 'absent'"),
            List.of("penstock:leases absent", "there is no tenant 'absent'"),
            List.of("penstock:lease-release acme 10.0.0.7", "tenant 'acme' has no lease of 10.0.0.7"),
            List.of("penstock:function-canary absent", "there is no function 'absent'"),
            List.of("penstock:verify nowhere", "there is no node 'nowhere'"),
            List.of(TRACE.replace("acme", "absent"), "tenant: there is no tenant 'absent'"),
            List.of(TRACE.replace(" 80", ""), "destination-port: is missing"));
        final Throwable error = catchThrowable(() -> system.controller().console(
            mistakes.stream().map(mistake -> mistake.get(0)).toArray(String[]::new)));
        assertThat(error).isNotNull();
        final List<String> named = List.of(error.getMessage().split("console: line [0-9]+, "));
        assertThat(named).hasSize(mistakes.size() + 1);
        for (int index = 0; index < mistakes.size(); index++) {
            assertThat(named.get(index + 1)).startsWith(mistakes.get(index).get(0) + ": ")
                .contains(mistakes.get(index).get(1));
        }
    }

    @Test
    void jsonForMachines() {
        // The controller repairs other tables by itself.
        node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=" + Table.L2_HOSTS.number() + ",priority=5,actions=drop");
        final List<String> printed = console("penstock:node --json list", "penstock:tenant --json list",
            "penstock:tenant --json show acme", "penstock:chain --json list", "penstock:drops --json",
            "penstock:verify --json " + node.name(), "penstock:resync --json " + node.name(), "penstock:verify --json",
            "penstock:nat-list --json", "penstock:limits --json --node " + system.second().name() + " beta",
            "penstock:function --json list", TRACE.replace("chain-trace ", "chain-trace --json "),
            "penstock:interfaces --json " + node.name());
        assertThat(array(printed.get(0))).hasSize(system.nodes().size());
        assertThat(entry(printed.get(1), "acme").get("publicAddress").getAsString())
            .isEqualTo(system.publicAddress("acme"));
        final JsonObject shown = JsonParser.parseString(printed.get(2)).getAsJsonObject();
        assertThat(shown.getAsJsonObject("tenant").get("vrf").getAsInt()).isEqualTo(system.vrf("acme"));
        assertThat(shown.getAsJsonArray("flows")).isNotEmpty();
        assertThat(shown.getAsJsonArray("limits")).isNotEmpty();
        assertThat(shown.has("hosts")).isTrue();
        assertThat(entry(printed.get(3), "watched").getAsJsonArray("functions")).hasSize(1);
        assertThat(array(printed.get(4))).isNotEmpty()
            .allMatch(flow -> flow.getAsJsonObject().get("drop").getAsBoolean());
        final JsonObject drifted = array(printed.get(5)).get(0).getAsJsonObject();
        assertThat(drifted.getAsJsonObject("flows").get("excess").getAsInt()).isEqualTo(1);
        assertThat(array(printed.get(6)).get(0).getAsJsonObject().get("removed").getAsInt()).isEqualTo(1);
        assertThat(array(printed.get(7))).hasSize(system.nodes().size()).allMatch(each ->
            each.getAsJsonObject().getAsJsonObject("flows").get("excess").getAsInt() == 0);
        assertThat(JsonParser.parseString(printed.get(8)).getAsJsonObject().getAsJsonArray("pools")).isNotEmpty();
        final JsonObject limit = StreamSupport.stream(array(printed.get(9)).spliterator(), false)
            .map(JsonElement::getAsJsonObject).filter(each -> each.get("meter").getAsString().equals("neighbour"))
            .findFirst().orElseThrow();
        assertThat(limit.get("rate").getAsInt()).isEqualTo(50);
        assertThat(limit.get("droppedPackets").getAsInt()).isZero();
        assertThat(entry(printed.get(10), "tap").getAsJsonArray("instances")).singleElement()
            .satisfies(each -> assertThat(each.getAsJsonObject().get("probes")).isNull());
        final JsonObject traced = JsonParser.parseString(printed.get(11)).getAsJsonObject();
        assertThat(traced.get("verdict").getAsString()).isEqualTo("AGREES");
        assertThat(entry(printed.get(12), "acc0").getAsJsonObject("counters").keySet())
            .contains("rx-packets", "rx-bytes", "tx-packets", "tx-bytes");
        assertThat(traced.getAsJsonObject("outbound").get("chain").getAsString()).isEqualTo("watched");
        final JsonObject asked = system.restconf().call("limits", "{'tenant': 'beta'}").getAsJsonArray("limit").get(0)
            .getAsJsonObject();
        assertThat(asked.get("unit").getAsString()).isEqualTo("packets");
        assertThat(asked.get("dropped-packets").getAsInt()).isZero();
    }

    private static JsonArray array(final String text) {
        return JsonParser.parseString(text).getAsJsonArray();
    }

    private static JsonObject entry(final String text, final String name) {
        for (final JsonElement each : array(text)) {
            if (each.getAsJsonObject().get("name").getAsString().equals(name)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + name + " in\n" + text);
    }
}
