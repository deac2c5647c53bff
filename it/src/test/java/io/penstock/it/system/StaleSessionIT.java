// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A busy stream goes on while its translation changes: no packet leaves with an address that is no longer its own. */
@Tag("safety")
@OnSystem
class StaleSessionIT {
    private static final int VLAN = 100;
    private static final String POOL = "{'pool': '" + Intent.FIRST_POOL + "'}";
    private static final String ANOTHER = "203.0.113.100";
    private static final String BY_HAND = "{'public-address': '" + ANOTHER + "'}";
    private static final String SEEN = "10.99.0.1";
    private static final double PAUSE_SECONDS = 0.005;

    private final EdgeSystem system;
    private final EdgeNode node;
    private DatagramStream stream;
    private String before;

    StaleSessionIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void start() {
        system.reset();
        put("acme", POOL);
        before = system.publicAddress("acme");
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        startStream(EdgeNetwork.SERVER);
        node.awaitSession(before);
        assertThat(EdgeSystem.isClean(system.verify(node))).as("sessions are no excess").isTrue();
    }

    private void startStream(final String destination) {
        stream = new DatagramStream(node, VLAN, destination, 1, PAUSE_SECONDS);
    }

    @AfterEach
    void stopStream() {
        if (stream != null) {
            stream.close();
        }
    }

    @Test
    void anotherAddressEndsTheSession() {
        final int vrf = system.vrf("acme");
        put("acme", BY_HAND);
        theOldAddressIsGone(vrf);
        theStreamGoesOnWithTheOther();
    }

    @Test
    void anEndOfTranslationEndsTheSession() {
        final int vrf = system.vrf("acme");
        put("acme", "");
        theOldAddressIsGone(vrf);
        // At once: a session would last 15 seconds without packets.
        put("acme", BY_HAND);
        theOldAddressIsGone(vrf);
        theStreamGoesOnWithTheOther();
    }

    @Test
    void theEndOfATenantEndsItsSessions() {
        final int vrf = system.vrf("acme");
        system.restconf().delete(Intent.path("acme"));
        system.awaitApplied();
        theOldAddressIsGone(vrf);
        assertThat(node.connections(vrf)).isEmpty();
        assertThat(node.flowsOf(vrf)).isEmpty();
        node.host(VLAN).doesNotReach(EdgeNetwork.SERVER);
        // Who comes after it in its place inherits nothing.
        put("heir", BY_HAND);
        theStreamGoesOnWithTheOther();
    }

    @Test
    void aNetworkThatIsSeenElsewhereNoMoreLosesItsSessions() {
        stopStream();
        put("acme", "{'pool': '" + Intent.FIRST_POOL + "', 'twice': [{'seen-prefix': '" + SEEN
            + "/32', 'outside-prefix': '" + EdgeNetwork.TRANSIT + "/32'}]}");
        startStream(SEEN);
        node.awaitSession(EdgeNetwork.TRANSIT);
        put("acme", POOL);
        assertThat(node.hasSession(EdgeNetwork.TRANSIT)).isFalse();
        assertThat(node.connections(system.vrf("acme"))).isNotEmpty()
            .noneMatch(line -> line.contains(EdgeNetwork.TRANSIT));
        // The stream goes where it is sent to.
        node.awaitSession(SEEN);
        assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
    }

    private void theOldAddressIsGone(final int vrf) {
        assertThat(node.hasSession(before)).isFalse();
        assertThat(node.connections(vrf)).noneMatch(line -> line.contains(before));
    }

    private void theStreamGoesOnWithTheOther() {
        node.settle();
        try (Capture old = node.network().transit().capture("src host " + before);
                Capture now = node.network().transit().capture("udp and src host " + ANOTHER)) {
            node.awaitSession(ANOTHER);
            final int seen = now.frames().size();
            Await.until("the stream leaves with its address", () -> now.frames().size() > seen + 100);
            assertThat(old.all()).isEmpty();
        }
        assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
    }

    private void put(final String name, final String nat) {
        system.restconf().put(Intent.path(name), Intent.tenants(List.of(
            Intent.translated(Intent.tenant(name, node, VLAN, Intent.FIRST_POOL), nat))));
        system.awaitApplied();
    }
}
