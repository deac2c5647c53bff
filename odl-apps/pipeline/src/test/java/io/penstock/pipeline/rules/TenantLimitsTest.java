// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values at the limits of rules for tenants: the last good one and the first bad one. */
class TenantLimitsTest {
    private static final Tenant TENANT = Fixtures.tenant("t", 100);

    private static List<String> leaves(final Snapshot snapshot) {
        return Validator.validate(snapshot, Allocations.none()).stream().map(Violation::leaf).toList();
    }

    private static List<String> leaves(final Tenant tenant) {
        return leaves(Fixtures.network(tenant));
    }

    private static List<String> expected(final boolean good, final String leaf) {
        return good ? List.of() : List.of(leaf);
    }

    private static Tenant inside(final String prefix, final Tenant.Nat nat) {
        return new Tenant("t", TENANT.attachments(), List.of(new Tenant.Subnet("lan", Prefix.parse(prefix),
            Prefix.parse(prefix).address().plus(1), List.of())), List.of(), Optional.of(nat), Optional.empty(),
            Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "4094, true", "4095, false"})
    void anAttachmentIsOnAVlan(final int vlan, final boolean good) {
        assertThat(leaves(Fixtures.tenant("t", vlan))).isEqualTo(expected(good, "attachment lan / vlan"));
    }

    @Test
    void theAttachmentsOfATenantAreOnOneNode() {
        final Node other = new Node("edge2", "/run/vhost", Fixtures.edge().ports());
        for (final String node : List.of("edge1", "edge2")) {
            final Tenant tenant = new Tenant("t", List.of(new Tenant.Attachment("a", "edge1", "acc0", 100),
                new Tenant.Attachment("b", node, "acc0", 101)), TENANT.subnets(), List.of(), TENANT.nat(),
                Optional.empty(), Optional.empty());
            final Snapshot base = Fixtures.network(tenant);
            assertThat(leaves(Snapshot.of(List.of(Fixtures.edge(), other), base.backbone(),
                List.copyOf(base.pools().values()), List.of(), List.of(), List.of(tenant),
                new ArrayList<>(base.acls().values())))).isEqualTo(expected(node.equals("edge1"), "attachment / node"));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, public-port", "1, 1, ''", "65535, 65535, ''", "65536, 1, public-port", "1, 0, inside-port",
        "1, 65536, inside-port"})
    void aForwardedPortHasSixteenBits(final int publicPort, final int port, final String leaf) {
        assertThat(leaves(TENANT.with(new Tenant.Nat(Optional.empty(), Optional.of("public"), List.of(),
            List.of(new Tenant.PortForward("web", 6, publicPort, Ipv4.parse("10.0.0.5"), port))))))
            .isEqualTo(expected(leaf.isEmpty(), "nat / port-forward web / " + leaf));
    }

    @Test
    void aPublicPortIsForwardedOnceForEachProtocol() {
        for (final int protocol : new int[] {6, 17}) {
            assertThat(leaves(TENANT.with(new Tenant.Nat(Optional.empty(), Optional.of("public"), List.of(),
                List.of(new Tenant.PortForward("a", 17, 53, Ipv4.parse("10.0.0.5"), 53),
                    new Tenant.PortForward("b", protocol, 53, Ipv4.parse("10.0.0.6"), 53))))))
                .isEqualTo(expected(protocol == 6, "nat / port-forward b / public-port"));
        }
    }

    @ParameterizedTest
    @CsvSource({"24, ''", "23, inside-prefix"})
    void oneToOnePrefixesHaveAShortestLength(final int length, final String leaf) {
        final String prefix = "10.0.0.0/" + length;
        assertThat(leaves(inside(prefix, Fixtures.mapped(new Tenant.OneToOne(Prefix.parse(prefix),
            Prefix.parse("198.18.0.0/" + length)))))).isEqualTo(
                expected(leaf.isEmpty(), "nat / one-to-one " + prefix + " / " + leaf));
    }

    @ParameterizedTest
    @CsvSource({"20, 20, ''", "20, 29, ''", "20, 30, public-prefix", "20, 19, public-prefix", "19, 28, inside-prefix"})
    void deterministicPrefixesShareAddressesByUpToNineBits(final int inside, final int outside, final String leaf) {
        final String prefix = "10.0.0.0/" + inside;
        assertThat(leaves(inside(prefix, Fixtures.mapped(new Tenant.Deterministic(Prefix.parse(prefix),
            Prefix.parse("198.18.0.0/" + outside)))))).isEqualTo(
                expected(leaf.isEmpty(), "nat / deterministic " + prefix + " / " + leaf));
    }

    @ParameterizedTest
    @CsvSource({"16, 24, 16, 1, ''", "16, 24, 16384, 4, ''", "15, 24, 16, 1, inside-prefix",
        "16, 23, 16, 1, public-prefix", "16, 24, 8, 1, block-size", "16, 24, 32768, 1, block-size",
        "16, 24, 48, 1, block-size", "16, 24, 16, 0, most-blocks", "16, 24, 16, 5, most-blocks"})
    void portBlocksHaveTheirLimits(final int inside, final int outside, final int size, final int most,
            final String leaf) {
        final String prefix = "10.0.0.0/" + inside;
        final Prefix network = Prefix.parse(prefix);
        assertThat(leaves(inside(network.toString(), Fixtures.mapped(new Tenant.PortBlocks(network,
            Prefix.parse("198.18.0.0/" + outside), size, most))))).isEqualTo(
                expected(leaf.isEmpty(), "nat / port-block " + network + " / " + leaf));
    }

    @Test
    void theBlocksOfAnAddressFillItsPortsFrom1024On() {
        for (int size = Constants.SMALLEST_BLOCK; size <= Constants.LARGEST_BLOCK; size *= 2) {
            final Tenant.PortBlocks blocks =
                new Tenant.PortBlocks(Prefix.parse("10.0.0.0/24"), Prefix.parse("198.51.100.0/32"), size, 4);
            assertThat(blocks.firstPort()).isGreaterThanOrEqualTo(1024);
            assertThat(blocks.firstPort() % size).isZero();
            assertThat(blocks.firstPort() + blocks.blocksOfAddress() * size).isEqualTo(65536);
            assertThat(block("10.0.0.5", "198.51.100.0", blocks.firstPort(), size).isOf(blocks)).isTrue();
            assertThat(block("10.0.0.5", "198.51.100.0", 65536 - size, size).isOf(blocks)).isTrue();
            assertThat(block("10.0.0.5", "198.51.100.0", blocks.firstPort() - size, size).isOf(blocks)).isFalse();
            assertThat(block("10.0.0.5", "198.51.100.0", blocks.firstPort() + 1, size).isOf(blocks)).isFalse();
            assertThat(block("10.0.0.5", "198.51.100.0", blocks.firstPort(), 2 * size).isOf(blocks)).isFalse();
            assertThat(block("10.0.1.5", "198.51.100.0", blocks.firstPort(), size).isOf(blocks)).isFalse();
            assertThat(block("10.0.0.5", "198.51.100.1", blocks.firstPort(), size).isOf(blocks)).isFalse();
        }
    }

    private static Allocations.Block block(final String subscriber, final String address, final int port,
            final int size) {
        return new Allocations.Block(Ipv4.parse(subscriber), Ipv4.parse(address), port, size);
    }

    @ParameterizedTest
    @CsvSource({"4, 4, 1280, ''", "1800, 9000, 65535, ''", "600, 0, 1500, ''", "3, 600, 1500, interval",
        "1801, 1801, 1500, interval", "600, 599, 1500, lifetime", "600, 9001, 1500, lifetime", "600, 600, 1279, mtu",
        "600, 600, 65536, mtu"})
    void anAdvertisementHasItsBounds(final int interval, final int lifetime, final int mtu, final String leaf) {
        final Ipv6Side.Subnet subnet = DualStack.subnet("2001:db8:1::/64", List.of());
        final Tenant tenant = TENANT.with(new Ipv6Side(List.of(new Ipv6Side.Subnet(subnet.prefix(), subnet.gateway(),
            List.of(), new Ipv6Side.Advertisement(true, false, interval, lifetime, Optional.of(mtu), List.of(),
                List.of(), List.of()))), List.of()));
        assertThat(leaves(DualStack.network(tenant))).isEqualTo(
            expected(leaf.isEmpty(), "ipv6 / subnet 2001:db8:1::/64 / router-advertisement / " + leaf));
    }

    @Test
    void theListsOfAllChainRulesHaveALimitTogether() {
        final Acl.Entry entry = new Acl.Entry("e", true, Matches.ANY, List.of());
        for (final int more : new int[] {0, 1}) {
            final int half = Priority.CHAIN_RULES / 2;
            final Tenant tenant = TENANT.with(List.of(
                new ChainRule("a", 1, "one", ChainRule.Ways.BOTH, Optional.of("secure")),
                new ChainRule("b", 2, "two", ChainRule.Ways.BOTH, Optional.empty())));
            final Snapshot base = Fixtures.network(tenant);
            final List<Acl> lists = new ArrayList<>(base.acls().values());
            lists.add(new Acl("one", Collections.nCopies(half, entry)));
            lists.add(new Acl("two", Collections.nCopies(half + more, entry)));
            assertThat(leaves(Snapshot.of(List.of(Fixtures.edge()), base.backbone(), List.copyOf(base.pools().values()),
                List.copyOf(base.functions().values()), List.copyOf(base.chains().values()), List.of(tenant), lists)))
                .isEqualTo(expected(more == 0, "chain-rule"));
        }
    }

    @Test
    void aTenantHasAsManyChainsAsTheRegisterTellsApart() {
        for (final int count : new int[] {Constants.MOST_CHAINS, Constants.MOST_CHAINS + 1}) {
            final List<Chain> chains = IntStream.range(0, count)
                .mapToObj(number -> new Chain("c" + number, List.of("tap"))).toList();
            final Tenant tenant = TENANT.with(IntStream.range(0, count).mapToObj(number -> new ChainRule("r" + number,
                number, "web-only", ChainRule.Ways.BOTH, Optional.of("c" + number))).toList());
            final Snapshot base = Fixtures.network(tenant);
            // A list of three entries for each rule is over their limit, which is not what is tested here.
            assertThat(leaves(Snapshot.of(List.of(Fixtures.edge()), base.backbone(), List.copyOf(base.pools().values()),
                List.copyOf(base.functions().values()), chains, List.of(tenant),
                new ArrayList<>(base.acls().values()))).stream().filter("chain-rule"::equals).count())
                .isEqualTo(count == Constants.MOST_CHAINS ? 1 : 2);
        }
    }
}
