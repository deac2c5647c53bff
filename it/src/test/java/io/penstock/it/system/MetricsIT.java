// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics of a controller, and the state that they tell of. */
@OnSystem
class MetricsIT {
    private static final int VLAN = 191;
    private static final int FIRST_VLAN = 1000;
    private static final int MANY = 100;
    private static final int LEAST_METRICS = 25;
    private static final String TENANT = "metered";
    /** A round of the comparison, in which counters are read. */
    private static final Duration ROUND = Await.PATIENCE;

    private final EdgeSystem system;
    private final EdgeNode node;

    MetricsIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    private Samples scrape() {
        final Answer answer = system.restconf().raw("GET", "/penstock/metrics", "", new byte[0]);
        assertThat(answer.isGood()).as("%s", answer).isTrue();
        return new Samples(answer.body());
    }

    private String of(final String metric, final String... more) {
        return metric + "{node=\"" + node.name() + "\"" + String.join("", more) + "}";
    }

    private void put(final String more) {
        system.restconf().put(Intent.path(TENANT), Intent.tenants(List.of(Intent.tenant(TENANT, node, VLAN,
            Intent.FIRST_POOL, more))));
        system.awaitApplied();
    }

    @Test
    void valuesAreThoseOfTheState() {
        put("");
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        Await.until("the tenant is active", () -> scrape().find("penstock_tenant_active{tenant=\"" + TENANT + "\"}")
            .orElse(0) == 1);
        final Samples samples = scrape();
        assertThat(samples.get(of("penstock_node_connected"))).isEqualTo(1);
        assertThat(samples.get(of("penstock_node_database_connected"))).isEqualTo(1);
        assertThat(samples.get(of("penstock_node_in_sync"))).isEqualTo(1);
        assertThat(samples.get("penstock_controller_leader")).isEqualTo(1);
        assertThat(samples.get("penstock_controller_readiness{level=\"ready\"}")).isEqualTo(1);
        assertThat(samples.get("penstock_mastership_epoch")).isGreaterThan(1e9);
        assertThat(samples.sum("penstock_raft_leader")).isPositive();
        assertThat(samples.sum("penstock_raft_term")).isPositive();
        assertThat(samples.sum("penstock_export_records_total")).as("its address, by syslog and IPFIX").isPositive();
        assertThat(samples.get("penstock_tenants{status=\"active\"}")).isEqualTo(1);
        assertThat(samples.get("penstock_commit_duration_seconds_count")).isPositive();
        assertThat(samples.get("penstock_apply_duration_seconds_count")).isPositive();
        final JsonObject state = system.restconf().state("penstock-state:state").orElseThrow()
            .getAsJsonObject("penstock-state:state");
        for (final JsonElement each : state.getAsJsonArray("node")) {
            final JsonObject known = each.getAsJsonObject();
            assertThat(samples.get("penstock_node_flows{node=\"" + known.get("name").getAsString()
                + "\",state=\"planned\"}")).isEqualTo(known.get("planned-flows").getAsInt());
        }
        for (final JsonElement each : state.getAsJsonArray("pool")) {
            final JsonObject pool = each.getAsJsonObject();
            final String label = "{pool=\"" + pool.get("name").getAsString() + "\"}";
            assertThat(samples.get("penstock_pool_addresses" + label)).isEqualTo(pool.get("size").getAsDouble());
            assertThat(samples.get("penstock_pool_used_addresses" + label)).isEqualTo(pool.get("used").getAsDouble());
        }
        assertThat(samples.sum("jvm_memory_used_bytes")).isPositive();
    }

    /** A flow counts from 0 when it is added again; what a customer's host has had dropped is not forgotten then. */
    @Test
    void dropsAreCountedByReasonAndGoOnWhenTheFlowDoesNot() {
        put("");
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        host.shell().run("ip", "address", "add", "10.99.0.1/32", "dev", Host.DEVICE);
        final double first = spoof(host, 0);
        put("'quota': {'bandwidth-out': 1000000}");
        system.restconf().delete(Intent.path(TENANT) + "/quota");
        system.awaitApplied();
        assertThat(spoof(host, first)).isGreaterThanOrEqualTo(first + 10);
    }

    private double spoof(final Host host, final double before) {
        host.shell().attempt("ping", "-n", "-c", "10", "-i", "0.05", "-W", "1", "-I", "10.99.0.1",
            EdgeNetwork.SERVER);
        return Await.until("the packets are counted", ROUND, () -> scrape().sum("penstock_dropped_packets_total",
            "node=\"" + node.name() + "\"", "tenant=\"" + TENANT + "\"", "reason=\"source"),
            sum -> sum >= before + 10);
    }

    @Test
    void promtoolFindsNothing(@TempDir final Path folder) throws IOException, InterruptedException {
        put("");
        final Path text = folder.resolve("scrape");
        Files.writeString(text, scrape().text());
        final Process promtool = new ProcessBuilder("promtool", "check", "metrics").redirectInput(text.toFile())
            .redirectErrorStream(true).start();
        final String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
    }

    @Test
    void eachMetricIsDocumented() throws IOException {
        put("");
        final String document = Files.readString(ControllerUnderTest.ROOT.resolve("docs/metrics.md"));
        final List<String> names = scrape().text().lines().filter(line -> line.startsWith("# TYPE penstock_"))
            .map(line -> line.split(" ")[2]).toList();
        assertThat(names).hasSizeGreaterThan(LEAST_METRICS).allSatisfy(name ->
            assertThat(document).contains("| `" + name + "` |"));
    }

    @Test
    void refusedChangesAreCounted() {
        final double before = scrape().get("penstock_refused_changes_total");
        assertThat(system.restconf().data("PUT", Intent.path(TENANT), Intent.tenants(List.of(Intent.tenant(TENANT,
            node, VLAN, "no-such-pool")))).isGood()).isFalse();
        assertThat(scrape().get("penstock_refused_changes_total")).isEqualTo(before + 1);
    }

    @Test
    void oneScrapeTellsOfManyTenants() {
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", IntStream.range(0, MANY).mapToObj(index ->
            Intent.tenant("tenant-" + index, node, FIRST_VLAN + index, Intent.FIRST_POOL)).toList()));
        system.awaitApplied();
        Await.until("all are active", () -> scrape().get("penstock_tenants{status=\"active\"}"),
            count -> count == MANY);
        final long begun = System.nanoTime();
        final Samples samples = scrape();
        Figures.tell("a scrape with " + MANY + " tenants", Duration.ofNanos(System.nanoTime() - begun));
        assertThat(samples.sum("penstock_tenant_active")).isEqualTo(MANY);
    }
}
