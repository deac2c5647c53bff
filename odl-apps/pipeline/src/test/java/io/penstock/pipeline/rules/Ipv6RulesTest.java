// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What IPv6 is refused, and with which words. */
class Ipv6RulesTest {
    private static final Advertisement NO_SLAAC = told(false, 600, 1800, null, List.of(), List.of());

    @Test
    void theFixturesAreGood() {
        assertThat(Validator.validate(DualStack.network(DualStack.tenant(), DualStack.chained()), Allocations.none()))
            .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fe80::/64 | fe80::/64 overlaps fe80::/9, which is not a prefix for hosts",
        "fec0::/64 | fec0::/64 overlaps fe80::/9, which is not a prefix for hosts",
        "ff05::/64 | ff05::/64 overlaps ff00::/8, which is not a prefix for hosts",
        "::/64 | ::/64 overlaps ::/96, which is not a prefix for hosts",
        "fd50:7300:0:7::/64 | fd50:7300:0:7::/64 overlaps fd50:7300::/48, which is not a prefix for hosts",
        "2001:db8:ffff::/64 | 2001:db8:ffff::/64 overlaps 2001:db8:ffff::/64 of the backbone"})
    void aPrefixIsOneOfHosts(final String prefix, final String rule) {
        assertThat(rules(DualStack.side(prefix)))
            .containsExactly("tenant t: ipv6 / subnet " + prefix + " / prefix: " + rule);
    }

    @Test
    void mappedAddressesAreNoNetwork() {
        final Ipv6Side.Subnet mapped = subnet("::ffff:10.0.0.0/104", "::ffff:10.0.0.1", NO_SLAAC);
        assertThat(rules(new Ipv6Side(List.of(mapped), List.of()))).singleElement().asString()
            .endsWith("overlaps ::ffff:0.0.0.0/96, which is not a prefix for hosts");
    }

    @Test
    void slaacNeedsA64() {
        assertThat(rules(DualStack.side("2001:db8:1::/72"))).containsExactly("tenant t: ipv6 / subnet 2001:db8:1::/72 "
            + "/ router-advertisement / slaac: needs a /64, which 2001:db8:1::/72 is not; set it to false");
        assertThat(rules(new Ipv6Side(List.of(subnet("2001:db8:1::/72", "2001:db8:1::1", NO_SLAAC)), List.of())))
            .isEmpty();
    }

    @Test
    void theGatewayIsInside() {
        assertThat(rules(new Ipv6Side(List.of(subnet("2001:db8:1::/64", "2001:db8:2::1", Advertisement.PLAIN)),
            List.of()))).containsExactly("tenant t: ipv6 / subnet 2001:db8:1::/64 / gateway: 2001:db8:2::1 is outside "
                + "its subnet 2001:db8:1::/64");
    }

    @Test
    void anAdvertisementHasItsBounds() {
        final String entry = "tenant t: ipv6 / subnet 2001:db8:1::/64 / router-advertisement / ";
        assertThat(rules(new Ipv6Side(List.of(subnet("2001:db8:1::/64", "2001:db8:1::1",
            told(true, 3, 2, 1279, Collections.nCopies(9, Ipv6.parse("ff02::1")), List.of("a..b")))), List.of())))
            .contains(entry + "interval: 3 is not in 4..1800", entry + "lifetime: 2 is neither 0 nor in 3..9000",
                entry + "mtu: 1279 is not in 1280..65535", entry + "rdnss: 9 are more than 8",
                entry + "rdnss: ff02::1 is not the address of a host", entry + "dnssl: 'a..b' is not a domain name");
    }

    @Test
    void subnetsAreApartAndOnAttachments() {
        assertThat(rules(new Ipv6Side(List.of(DualStack.subnet("2001:db8:1::/64", List.of("lan")),
            DualStack.subnet("2001:db8:1::/64", List.of("attic"))), List.of()))).containsExactly(
            "tenant t: ipv6 / subnet 2001:db8:1::/64 / prefix: 2001:db8:1::/64 overlaps the subnet 2001:db8:1::/64",
            "tenant t: ipv6 / subnet 2001:db8:1::/64 / attachment: the tenant has no attachment 'attic'");
    }

    @Test
    void routesLeadSomewhere() {
        final Ipv6Side.Subnet lan = DualStack.subnet("2001:db8:1::/64", List.of());
        assertThat(rules(new Ipv6Side(List.of(lan), List.of(route("::/0", "2001:db8:1::9"))))).containsExactly(
            "tenant t: ipv6 / route ::/0 / prefix: the default route of a VRF leads to the backbone");
        assertThat(rules(new Ipv6Side(List.of(lan), List.of(route("2001:db8:2::/48", "2001:db8:3::9")))))
            .containsExactly("tenant t: ipv6 / route 2001:db8:2::/48 / next-hop: 2001:db8:3::9 is not in a subnet "
                + "of the tenant");
        assertThat(rules(new Ipv6Side(List.of(lan), List.of(route("2001:db8:2::/48", "2001:db8:1::1")))))
            .containsExactly("tenant t: ipv6 / route 2001:db8:2::/48 / next-hop: 2001:db8:1::1 is the VRF's own "
                + "gateway");
        assertThat(rules(new Ipv6Side(List.of(lan), List.of(route("2001:db8:1::/64", "2001:db8:1::9")))))
            .containsExactly("tenant t: ipv6 / route 2001:db8:1::/64 / prefix: the VRF has a route for this prefix "
                + "already");
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1::/64, 2001:db8:1::/64", "2001:db8:1::/48, 2001:db8:1:5::/64", "2001:db8:1:5::/64, 2001:db8:1::/48"})
    void tenantsOfANodeAreApart(final String first, final String second) {
        final Snapshot snapshot = DualStack.network(tenant("a", 100).with(noSlaac(first)),
            tenant("b", 101).with(noSlaac(second)));
        assertThat(Validator.validate(snapshot, Allocations.none())).extracting(Violation::toString)
            .containsExactly("tenant b: ipv6 / subnet " + second + " / prefix: " + second + " overlaps " + first
                + " of tenant a");
        assertThat(Validator.validate(DualStack.network(tenant("a", 100).with(noSlaac(first)),
            tenant("b", 101).with(noSlaac("2001:db8:2::/48"))), Allocations.none())).isEmpty();
    }

    @Test
    void theBackboneHasItsRules() {
        final Snapshot plain = DualStack.network();
        final Backbone6 backbone = new Backbone6(List.of(
            new Backbone6.Interface("edge1", "up0", Prefix6.parse("2001:db8:ffff::/64"), Ipv6.parse("2001:db8:1::2")),
            new Backbone6.Interface("edge1", "up1", Prefix6.parse("fe80::/64"), Ipv6.parse("fe80::2"))),
            List.of(route("::/0", "2001:db8:2::1"), route("2001:db8:ffff::/64", "2001:db8:ffff::1")));
        assertThat(Validator.validate(Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone().with(backbone),
            List.of(), List.copyOf(plain.functions().values()), List.of(), List.of(),
            List.copyOf(plain.acls().values())), Allocations.none())).extracting(Violation::toString).containsExactly(
                "backbone ipv6 interface edge1/up0: address: 2001:db8:1::2 is outside its subnet 2001:db8:ffff::/64",
                "backbone ipv6 interface edge1/up1: port: the backbone has no interface on port 'up1' of node 'edge1'; "
                    + "add one, its VLAN applies to IPv6 as well",
                "backbone ipv6 interface edge1/up1: prefix: fe80::/64 overlaps fe80::/9,"
                    + " which is not a prefix for hosts",
                "backbone ipv6 route ::/0: next-hop: 2001:db8:2::1 is not in the subnet of any IPv6 interface of the "
                    + "backbone",
                "backbone ipv6 route 2001:db8:ffff::/64: prefix: it is the subnet of interface edge1/up0");
    }

    private static List<String> rules(final Ipv6Side side) {
        return Validator.validate(DualStack.network(tenant("t", 100).with(side)), Allocations.none()).stream()
            .map(Violation::toString).toList();
    }

    @Test
    void anUplinkOfIpv6TakesWhatEveryLinkHasToTake() {
        final Snapshot network = DualStack.network(DualStack.tenant());
        assertThat(Validator.validate(Fixtures.withUplinkMtu(1280, network), Allocations.none())).isEmpty();
        assertThat(Validator.validate(Fixtures.withUplinkMtu(1279, network), Allocations.none()))
            .extracting(Violation::toString).containsExactly("backbone ipv6 interface edge1/up0: port: its interface "
                + "has mtu 1279; IPv6 needs at least 1280");
    }

    private static Tenant tenant(final String name, final int vlan) {
        return Fixtures.tenant(name, vlan);
    }

    private static Ipv6Side noSlaac(final String prefix) {
        return new Ipv6Side(List.of(subnet(prefix, prefix.substring(0, prefix.indexOf('/')) + "1", NO_SLAAC)),
            List.of());
    }

    private static Ipv6Side.Subnet subnet(final String prefix, final String gateway, final Advertisement told) {
        return new Ipv6Side.Subnet(Prefix6.parse(prefix), Ipv6.parse(gateway), List.of(), told);
    }

    private static Route6 route(final String prefix, final String nextHop) {
        return new Route6(Prefix6.parse(prefix), Ipv6.parse(nextHop));
    }

    private static Advertisement told(final boolean slaac, final int interval, final int lifetime, final Integer mtu,
            final List<Ipv6> resolvers, final List<String> domains) {
        return new Advertisement(slaac, false, interval, lifetime, Optional.ofNullable(mtu), resolvers, domains,
            List.of());
    }
}
