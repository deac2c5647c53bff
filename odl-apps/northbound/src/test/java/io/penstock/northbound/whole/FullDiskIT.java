// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.journal.Assignment;
import io.penstock.journal.NatJournal;
import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that is full: clear errors, nothing lost, and it goes on when there is room. */
@Tag("safety")
class FullDiskIT {
    /** What is allocated is stored again within five seconds, more than ten times as long. */
    private static final Duration RECOVERY = Duration.ofMinutes(1);

    @TempDir
    private Path disk;
    private boolean mounted;

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (mounted) {
            run("umount", disk.toString());
        }
    }

    @Test
    void theJournalLosesNothingAndGoesOn() throws IOException, InterruptedException {
        mount("256k");
        final Path journals = disk.resolve("nat-journal");
        try (NatJournal journal = new NatJournal(journals, Clock.systemUTC())) {
            assertThat(journal.record(tenants(1, 10))).hasSize(10);
            fill(0);
            assertThatThrownBy(() -> journal.record(tenants(1, 200))).isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("cannot write the NAT journal").cause().hasMessageContaining("No space left");
            makeRoom();
            // All that was refused is written now, and nothing a second time.
            assertThat(journal.record(tenants(1, 200))).hasSize(190);
        }
        try (NatJournal journal = new NatJournal(journals, Clock.systemUTC())) {
            assertThat(journal.record(tenants(1, 200))).isEmpty();
        }
    }

    @Test
    void changesAreRefusedBeforeTheDiskIsFullAndTakenAgainAfterwards() throws IOException, InterruptedException {
        mount("80m");
        try (ControllerInProcess controller = new ControllerInProcess(disk)) {
            final DataClient client = controller.client();
            client.put(Documents.path("before"), Documents.tenants(List.of("{'name': 'before'}")));
            fill(10 << 20);
            final Answer answer = client.data("PUT", Documents.path("refused"),
                Documents.tenants(List.of("{'name': 'refused'}")));
            assertThat(answer.isGood()).isFalse();
            assertThat(answer.messages()).contains("the configuration cannot be changed", disk.toString(),
                "64 MB are needed");
            assertThat(client.has(Documents.path("before"))).isTrue();
            assertThat(client.has(Documents.path("refused"))).isFalse();
            makeRoom();
            // The engine may have found the disk full when it stored the ids of the first tenant: it tries again.
            Await.until("changes are accepted", RECOVERY, () -> client.data("PUT", Documents.path("after"),
                Documents.tenants(List.of("{'name': 'after'}"))).isGood());
        }
    }

    @Test
    void aLeaseThatIsNotStoredIsNotGiven() throws IOException, InterruptedException {
        mount("80m");
        try (ControllerInProcess controller = new ControllerInProcess(disk); TestRun run = new TestRun()) {
            final DataClient client = controller.client();
            final DummyNode node = new DummyNode(run, controller.ovsdbPort());
            Await.until("the node is there", () -> client.has(Documents.NETWORK + "/node=" + node.name()));
            client.add("tenant", "{'name': 'acme', 'attachment': [{'name': 'lan', 'node': '" + node.name()
                + "', 'port': 'acc0', 'vlan': 100}], 'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': "
                + "'10.0.0.1'}], 'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'pool': [{'first': '10.0.0.100', "
                + "'last': '10.0.0.199'}]}]}}");
            Await.until("the node is as planned",
                () -> Edge.list(client.call("verify", "{}"), "node").anyMatch(Edge::isClean));
            final TenantPackets packets = new TenantPackets(client, node, "acme", 100);
            fill(10 << 20);
            packets.send(node, "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.REQUEST));
            Await.until("it is told", () -> controller.readiness().contains("what is allocated cannot be stored"));
            assertThat(controller.readiness()).contains("64 MB are needed");
            assertThat(leases(client)).isEmpty();
            makeRoom();
            // Nothing but time tells the controller: the host does not ask again.
            Await.until("changes are accepted", RECOVERY, () -> client.data("PUT", Documents.path("after"),
                Documents.tenants(List.of("{'name': 'after'}"))).isGood());
            packets.send(node, "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.REQUEST));
            Await.until("the lease is stored", () -> leases(client).contains("10.0.0.100"));
            controller.stopEngine();
            controller.startEngine();
            assertThat(controller.stored().violations()).isEmpty();
            assertThat(leases(client)).contains("10.0.0.100");
        }
    }

    /** The leases of acme, as they are stored. */
    private static String leases(final DataClient client) {
        return Edge.list(client.read("penstock-allocation:allocations")
                .getAsJsonObject("penstock-allocation:allocations"), "tenant")
            .filter(tenant -> tenant.get("name").getAsString().equals("acme"))
            .flatMap(tenant -> Edge.list(tenant, "lease")).map(Object::toString).collect(Collectors.joining());
    }

    private static Set<Assignment> tenants(final int first, final int last) {
        return IntStream.rangeClosed(first, last).mapToObj(number -> new Assignment("t" + number, number,
            Assignment.SOURCE, Optional.empty(), Prefix.host(new Ipv4(0xcb007100L + number)), Optional.empty(),
            Optional.empty())).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private void mount(final String size) throws IOException, InterruptedException {
        run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", disk.toString());
        mounted = true;
    }

    /** Uses the room of the disk but for some bytes. */
    private void fill(final long left) throws IOException {
        final long room = Files.getFileStore(disk).getUsableSpace() - left;
        Files.write(disk.resolve("ballast"), new byte[Math.toIntExact(room)]);
    }

    private void makeRoom() throws IOException {
        Files.delete(disk.resolve("ballast"));
    }

    private static void run(final String... command) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
