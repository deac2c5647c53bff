// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import io.penstock.testkit.Together;
import java.util.List;

/**
 * Two tenants that use the same addresses inside, one host of each, and what must be true of them, however their flows
 * came to the switch. The second tenant has a further host, at an address the first tenant could have.
 */
final class TenantPair {
    static final String FIRST_PUBLIC = "203.0.113.11";
    static final String SECOND_PUBLIC = "203.0.113.12";
    static final String GATEWAY = "10.0.0.1";
    static final int WEB = 80;
    static final int DNS = 53;
    private static final int LATE = 7000;
    /** Nothing on the uplink may have such an address. */
    static final String PRIVATE = "net 10.0.0.0/8 or net 172.16.0.0/12";

    private static final int FIRST_VLAN = 100;
    private static final int SECOND_VLAN = 101;

    private final EdgeNetwork network;
    private final Host first;
    private final Host second;
    private final Host neighbour;

    /** Makes the hosts and starts servers on {@link EdgeNetwork#server}. */
    TenantPair(final EdgeNetwork network) {
        this.network = network;
        first = network.host("acc0", FIRST_VLAN, "10.0.0.5/24", GATEWAY);
        second = network.host("acc0", SECOND_VLAN, "10.0.0.5/24", GATEWAY);
        neighbour = network.host("acc0", SECOND_VLAN, "10.0.0.6/24", GATEWAY);
        network.server().serveTcp(WEB);
        network.server().serveUdp(DNS);
    }

    /** What an operator would configure. */
    static Snapshot intent() {
        return Networks.of(Networks.plain("first", FIRST_VLAN, FIRST_PUBLIC),
            Networks.plain("second", SECOND_VLAN, SECOND_PUBLIC));
    }

    Host first() {
        return first;
    }

    Host second() {
        return second;
    }

    /** Both reach their gateways, and by that are known to the switch. */
    void reachTheirGateways() {
        for (final Host host : List.of(first, second, neighbour)) {
            host.meets(GATEWAY);
        }
    }

    /** The world sees each by its public address, in every protocol. */
    void areTranslated() {
        try (Capture uplink = network.transit().capture(PRIVATE)) {
            for (final Host host : List.of(first, second)) {
                final String address = host == first ? FIRST_PUBLIC : SECOND_PUBLIC;
                assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).as("TCP from " + host).isEqualTo(address);
                assertThat(host.askUdp(EdgeNetwork.SERVER, DNS)).as("UDP from " + host).isEqualTo(address);
                host.reaches(EdgeNetwork.SERVER);
            }
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** Neither reaches the other, by no address. */
    void areIsolated() {
        try (Capture here = second.capture("host 10.0.0.5 and not host " + GATEWAY);
                Capture uplink = network.transit().capture("host " + FIRST_PUBLIC + " or host " + SECOND_PUBLIC)) {
            Together.check(() -> first.doesNotReach(neighbour.address()), () -> first.doesNotReach(SECOND_PUBLIC),
                () -> first.getsNoTcpAnswer(SECOND_PUBLIC, WEB), () -> second.doesNotReach(FIRST_PUBLIC));
            assertThat(here.all()).noneMatch(frame -> frame.contains(first.mac()));
            assertThat(uplink.all()).isEmpty();
        }
        second.reaches(neighbour.address());
    }

    /** The world reaches neither of itself. */
    void areNotReachedUnasked() {
        try (Capture capture = first.capture("ip")) {
            Together.check(() -> network.server().doesNotReach(FIRST_PUBLIC),
                () -> network.server().getsNoTcpAnswer(FIRST_PUBLIC, WEB));
            assertThat(capture.all()).isEmpty();
        }
        // Not even by the private address of a host, from a router that knows the way.
        network.transit().route("10.0.0.0/24", Networks.BACKBONE_ADDRESS);
        network.transit().doesNotReach("10.0.0.5");
        network.transit().shell().run("ip", "route", "delete", "10.0.0.0/24");
    }

    /** An error about a packet finds its way to who sent it. */
    void hearErrors() {
        try (Capture capture = first.capture("icmp[icmptype] == icmp-unreach")) {
            first.getsNoUdpAnswer(EdgeNetwork.SERVER, DNS + 1);
            Await.until("the error arrives", capture::frames, frames -> !frames.isEmpty());
            assertThat(capture.frames().get(0)).contains("10.0.0.5");
        }
    }

    /** What a host says about an answer that came too late goes out in the name of its public address. */
    void tellErrors() {
        network.server().serve("socat", "-t", "5", "UDP4-RECVFROM:" + LATE + ",fork",
            "SYSTEM:read line; sleep 1; echo late");
        final String filter = "icmp[icmptype] == icmp-unreach";
        try (Capture capture = network.server().capture(filter); Capture uplink = network.transit().capture(PRIVATE)) {
            Await.until("the error arrives", () -> {
                first.shell().run("sh", "-c", "echo ? | socat -u - UDP4:" + EdgeNetwork.SERVER + ":" + LATE);
                return capture.frames();
            }, frames -> !frames.isEmpty());
            assertThat(capture.frames().get(0)).contains(FIRST_PUBLIC + " > " + EdgeNetwork.SERVER);
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** Packets in pieces pass unharmed. */
    void sendFragments() {
        try (Capture uplink = network.transit().capture(PRIVATE)) {
            first.shell().run("ping", "-n", "-c", "2", "-i", "0.2", "-W", "60", "-s", "4000", EdgeNetwork.SERVER);
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** Packets of full size pass unharmed. */
    void sendFullFrames() {
        assertThat(fullFrames("60").isGood()).isTrue();
    }

    /** Packets of full size do not come back; there are two of them. */
    void loseFullFrames() {
        assertThat(fullFrames("2").output()).contains("2 packets transmitted, 0 received");
    }

    private Shell.Result fullFrames(final String seconds) {
        return first.shell().attempt("ping", "-n", "-c", "2", "-i", "0.2", "-W", seconds, "-M", "do", "-s", "1472",
            EdgeNetwork.SERVER);
    }
}
