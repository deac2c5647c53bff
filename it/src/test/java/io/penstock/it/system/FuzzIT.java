// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host sends ten thousand malformed packets of a kind: everything goes on, and no other tenant sees one of them. */
@OnSystem
class FuzzIT {
    private static final int NOISY_VLAN = 860;
    private static final int CALM_VLAN = 861;
    private static final int COUNT = 10_000;
    private static final int SEED = 4861;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DHCP = "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
        + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}";

    private final EdgeSystem system;
    private final EdgeNode node;
    @TempDir
    private Path directory;

    FuzzIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void start() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant("noisy", node, NOISY_VLAN, Intent.FIRST_POOL, DHCP),
            Intent.tenant("calm", node, CALM_VLAN, Intent.FIRST_POOL, DHCP))));
        system.awaitApplied();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dhcp", "dns", "arp", "nd", "ra"})
    void malformedPacketsHarmNobody(final String kind) throws IOException {
        final Host noisy = node.host(NOISY_VLAN);
        final Host calm = node.host(CALM_VLAN);
        noisy.reaches(EdgeNetwork.SERVER);
        calm.reaches(EdgeNetwork.SERVER);
        noisy.shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "off");
        // Counters of flows follow those of the datapath after a while.
        node.settle();
        final long before = received();
        final long leases = leases();
        try (Capture capture = calm.capture("ether src " + noisy.mac())) {
            final String sent = noisy.shell().run(PATIENCE, "/usr/bin/python3", fuzzer().toString(), Host.DEVICE, kind,
                Integer.toString(COUNT), Integer.toString(SEED), Intent.GATEWAY);
            assertThat(sent.strip()).isEqualTo(Integer.toString(COUNT));
            Await.until("every packet is counted", () -> received() - before,
                count -> count == COUNT);
            calm.reaches(EdgeNetwork.SERVER);
            assertThat(capture.frames()).isEmpty();
        } finally {
            noisy.shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "on");
        }
        noisy.reaches(EdgeNetwork.SERVER);
        assertThat(leases()).as("leases of malformed messages").isEqualTo(leases);
        system.awaitSync();
    }

    /** Packets that the switch has had from the noisy host. */
    private long received() {
        return StreamSupport.stream(system.restconf().call("flows", "{'tenant': 'noisy'}").getAsJsonArray("flow")
            .spliterator(), false).map(JsonElement::getAsJsonObject)
            .filter(flow -> flow.get("table").getAsString().equals(Table.CLASSIFY.text()))
            .mapToLong(flow -> flow.get("packets").getAsLong()).sum();
    }

    /** Bound leases of both tenants. */
    private long leases() {
        return system.allocations().split("\"bound\"", -1).length - 1L;
    }

    private Path fuzzer() throws IOException {
        final Path file = directory.resolve("fuzzer.py");
        try (InputStream program = FuzzIT.class.getResourceAsStream("/fuzzer.py")) {
            Files.copy(program, file);
        }
        return file;
    }
}
