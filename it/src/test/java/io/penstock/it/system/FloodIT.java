// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host that makes each of its frames an upcall is limited within seconds, and its neighbour goes on. */
@Tag("deep")
@Tag("flood")
@Tag("hostile")
@OnSystem
class FloodIT {
    private static final int HOSTILE = 100;
    private static final int VICTIM = 200;
    private static final Path PROGRAM = ControllerUnderTest.ROOT.resolve("it/src/test/resources/address-flood.py");
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Duration FLOODED = Duration.ofSeconds(3);

    private final EdgeSystem system;
    private final EdgeNode node;

    FloodIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @Test
    @SuppressWarnings("try")
    void whoFloodsTheSlowPathIsLimitedAndTheNeighbourGoesOn() throws InterruptedException {
        system.reset();
        system.restconf().put(Intent.path("acme"),
            Intent.tenants(List.of(Intent.tenant("acme", node, HOSTILE, Intent.FIRST_POOL))));
        system.restconf().put(Intent.path("globex"),
            Intent.tenants(List.of(Intent.tenant("globex", node, VICTIM, Intent.FIRST_POOL))));
        system.awaitApplied();
        final Host hostile = node.host(HOSTILE);
        List.of(hostile, node.host(VICTIM)).forEach(host -> host.reaches(EdgeNetwork.SERVER));
        try (PingStream pings = new PingStream(node, node.host(VICTIM), EdgeNetwork.SERVER)) {
            pings.awaitMore();
            final Process flood = hostile.shell().start(hostile.file("flood"), "/usr/bin/python3", PROGRAM.toString(),
                Host.DEVICE);
            try {
                final Instant begun = Instant.now();
                Await.until("the attachment is limited", PATIENCE, this::isLimited);
                Figures.tell("a flood of the slow path, until it is limited", Duration.between(begun, Instant.now()));
                final Instant limited = Instant.now();
                Thread.sleep(FLOODED.toMillis());
                pings.awaitMore();
                assertThat(pings.longestGapSince(limited)).isLessThan(EdgeSystem.FAILOVER);
                assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
            } finally {
                Shell.stop(flood);
            }
        }
        hostile.reaches(EdgeNetwork.SERVER);
        // It takes half a minute: other tests use this attachment.
        Await.until("it is no longer limited", PATIENCE, () -> !isLimited());
    }

    private boolean isLimited() {
        return node.flows().stream().anyMatch(line -> line.contains("priority=2000,ip,")
            && line.contains("dl_vlan=" + HOSTILE) && line.contains("actions=meter:"));
    }
}
