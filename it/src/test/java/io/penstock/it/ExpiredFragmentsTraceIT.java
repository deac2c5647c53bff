// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Frame;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fails as long as expired fragments of one tenant come to another one, as docs/limits.md says that they do. */
@Tag("deep")
@Tag("isolation")
@Tag("safety")
class ExpiredFragmentsTraceIT {
    private static final Duration EXPIRED = Duration.ofMillis(15_100);
    private static final String VICTIM = "10.7.0.5";
    private static final String VICTIMS_PUBLIC = "198.51.100.10";

    /** The list of the victim permits TCP to port 80 alone; a datagram's fragment of acme reaches its host. */
    @Test
    void besideAPacketThatAStatefulListPermits() {
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse("203.0.113.12")), Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse(VICTIM + "/32"), Prefix.parse(VICTIMS_PUBLIC + "/32"))),
            List.of());
        final Tenant victim = new Tenant("victim", List.of(new Tenant.Attachment("lan", Networks.NODE, "acc0", 101)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("10.7.0.0/24"), Ipv4.parse("10.7.0.1"), List.of())),
            List.of(), Optional.of(nat), Optional.empty(), Optional.empty())
            .with(new Protection(Optional.of(Networks.LIST), true, Quota.NONE));
        try (StoppedNode node = new StoppedNode(Networks.of(Networks.tcpTo(80, 80),
                Networks.plain("acme", 100, NatPair.PUBLIC), victim))) {
            node.learn("10.0.0.5", 100);
            node.send("acc0", Frame.arpRequest(StoppedNode.HOST_MAC, VICTIM, "10.7.0.1").tagged(101));
            node.sent("acc0");
            node.send("acc0", Frame.pieces(new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, "10.0.0.5",
                VICTIM), 7, 30_000, 800, 200).get(0).tagged(100));
            node.warp(EXPIRED);
            node.send("up0", Frame.tcp(StoppedNode.in(VICTIMS_PUBLIC), 4000, 80, Frame.SYN, 1, 0));
            assertThat(node.sent("acc0")).hasSize(1);
        }
    }

    /**
     * A list of fragments expires at each pass: the first one is tracked again as the victim's, the second one goes to
     * the victim's function with the victim's tag.
     */
    @Test
    void besideAPacketToAFunctionThatIsSpread() {
        try (StoppedNode node = new StoppedNode(Networks.of(Path.of("/nowhere"), List.of(
                new NetworkFunction("fw", Networks.NODE, NetworkFunction.FailPolicy.CLOSED, true)
                    .spread(new NetworkFunction.Instance("fw1", NetworkFunction.State.IN_SERVICE, 1))),
                Networks.plain("acme", 100, NatPair.PUBLIC), Networks.chained("victim", 101, "203.0.113.12")))) {
            node.learn("10.0.0.5", 100);
            node.learn("10.0.0.5", 101);
            for (int number = 0; number < 2; number++) {
                node.send("acc0", Frame.pieces(StoppedNode.out("10.0.0.5"), number, 30_000, 800, 200).get(0)
                    .tagged(100));
            }
            node.warp(EXPIRED);
            node.send("acc0", Frame.udp(StoppedNode.out("10.0.0.5"), 4000, 80).tagged(101));
            assertThat(node.ovs().ofctl("dump-ports", "br-penstock", "fw1-in")).contains("tx pkts=1,");
        }
    }
}
