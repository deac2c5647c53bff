// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Frame;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A connection that begins tries the blocks of its subscriber one after the other, and each costs a recirculation: here
 * on the longest way, to a service of another tenant of the node, where both have stateful lists.
 */
class PortBlocksTraceIT {
    private static final String SUBSCRIBER = "10.0.0.5";
    private static final String ADDRESS = "198.51.100.4";
    private static final String SERVER = "10.0.0.20";
    private static final String SERVICE = "203.0.113.9";
    private static final int VLAN = 600;
    private static final int OTHER_VLAN = 601;
    private static final int PORT = 53;
    private static final int BLOCKS = 4;
    private static final int BLOCK = 64;
    private static final int FIRST_PORT = 1024;
    private static final int SOURCE = 20_000;

    private static final Acl.Entry UDP =
        new Acl.Entry("udp", true, Matches.to(17, PORT, PORT), List.of());
    private static final Quota UNLIMITED = new Quota(Optional.empty(), Optional.of(Quota.UNLIMITED), Optional.empty(),
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static Snapshot network(final Quota quota) {
        final Tenant city = tenant("city", VLAN, quota, Fixtures.mapped(new Tenant.PortBlocks(
            Prefix.parse("10.0.0.0/25"), Prefix.parse(ADDRESS + "/31"), BLOCK, BLOCKS)));
        final Tenant shop = tenant("shop", OTHER_VLAN, Quota.NONE, new Tenant.Nat(Optional.of(Ipv4.parse(SERVICE)),
            Optional.empty(), List.of(),
            List.of(new Tenant.PortForward("dns", 17, PORT, Ipv4.parse(SERVER), PORT))));
        return Networks.of(new Acl(Networks.LIST, List.of(UDP)), city,
            shop);
    }

    private static Tenant tenant(final String name, final int vlan, final Quota quota, final Tenant.Nat nat) {
        return Networks.guarded(name, vlan, SERVICE).with(nat)
            .with(new Protection(Optional.of(Networks.LIST), true, quota));
    }

    private static Allocations given(final Allocations allocations) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(allocations.tenants());
        tenants.computeIfPresent("city", (name, own) -> own.withBlocks(IntStream.range(0, BLOCKS)
            .mapToObj(block -> new Block(Ipv4.parse(SUBSCRIBER), Ipv4.parse(ADDRESS), FIRST_PORT + block * BLOCK,
                BLOCK)).toList()));
        return allocations.withTenants(tenants);
    }

    /** The switch drops what would recirculate a ninth time: with the limit of new connections, the fourth block. */
    @ParameterizedTest
    @CsvSource({"false, 3", "true, 4"})
    void eachBlockIsTried(final boolean unlimited, final int reaching) {
        try (StoppedNode node = new StoppedNode(network(unlimited ? UNLIMITED : Quota.NONE),
                PortBlocksTraceIT::given)) {
            for (int block = 0; block < BLOCKS; block++) {
                // The limit of new connections a second is another matter.
                node.warp(Duration.ofSeconds(2));
                node.learn(SUBSCRIBER, VLAN);
                node.learn(SERVER, OTHER_VLAN);
                final int first = SOURCE + block * BLOCK;
                node.send(StoppedNode.ACCESS, IntStream.range(first, first + BLOCK)
                    .mapToObj(port -> Frame.udp(new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, SUBSCRIBER,
                        SERVICE), port, PORT).tagged(VLAN)).toList());
                assertThat(node.sent(StoppedNode.ACCESS)).as("block %d", block + 1)
                    .hasSize(block < reaching ? BLOCK : 0)
                    .allMatch(frame -> frame.contains(StoppedNode.digits(ADDRESS) + StoppedNode.digits(SERVER)));
                assertThat(node.sent(StoppedNode.UPLINK)).isEmpty();
            }
        }
    }
}
