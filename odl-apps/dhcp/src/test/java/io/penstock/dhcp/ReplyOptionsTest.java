// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReplyOptionsTest {
    private static final Mac MAC = new Mac(0x020000000001L);
    private static final Dhcp.Options MANY = new Dhcp.Options(List.of(), List.of(Ipv4.parse("192.0.2.53")),
        Optional.of("acme.example"), List.of("eng.apple.com.", "marketing.apple.com."),
        List.of(Ipv4.parse("192.0.2.123")), Optional.of(1400),
        List.of(new Route(Prefix.parse("10.27.129.0/24"), Ipv4.parse("10.0.1.5"))),
        Optional.of(Ipv4.parse("192.0.2.69")), Optional.of("tftp.acme.example"), Optional.of("pxelinux.0"),
        List.of(new Dhcp.RawOption(43, "hex", "0104")));

    private static Bytes option(final DhcpMessage message, final int code) {
        return message.options().get(code).orElse(Bytes.EMPTY);
    }

    private static DhcpMessage offer(final Network network, final TestMessage message) {
        return network.reply(message, MessageType.OFFER);
    }

    private static Dhcp.Options routes(final String... prefixes) {
        final List<Route> routes = new ArrayList<>();
        for (final String prefix : prefixes) {
            routes.add(new Route(Prefix.parse(prefix), Ipv4.parse("1.2.3.4")));
        }
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(), routes,
            Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options raw(final Dhcp.RawOption... raw) {
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(),
            List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of(raw));
    }

    @Test
    void rfc3397Section3NamesShareTheirEnding() {
        assertThat(DomainNames.encode(List.of("eng.apple.com.", "marketing.apple.com.")).hex()).isEqualTo(
            "03656e67" + "056170706c65" + "03636f6d" + "00" + "096d61726b6574696e67" + "c004");
        assertThat(DomainNames.encode(List.of("a..b", "x".repeat(64), ""))).isEqualTo(Bytes.EMPTY);
        assertThat(DomainNames.encode(List.of("com", "com")).hex()).isEqualTo("03636f6d00" + "c000");
    }

    @Test
    void rfc3442DestinationsAreAsShortAsTheirPrefixes() {
        final String hop = "01020304";
        final Network network = new Network().options(routes("0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/24", "10.17.0.0/16",
            "10.27.129.0/24", "10.229.0.128/25", "10.198.122.47/32"));
        assertThat(option(offer(network, TestMessage.discover(MAC)), OptionCode.CLASSLESS_ROUTES).hex()).isEqualTo(
            "00" + hop + "080a" + hop + "180a0000" + hop + "100a11" + hop + "180a1b81" + hop + "190ae50080" + hop
            + "200ac67a2f" + hop);
    }

    @Test
    void rfc3442TheWayToEverywhereIsAmongTheRoutes() {
        final DhcpMessage offer = offer(new Network().options(routes("10.0.0.0/8")), TestMessage.discover(MAC)
            .option(OptionCode.PARAMETER_LIST, "79"));
        assertThat(option(offer, OptionCode.CLASSLESS_ROUTES).hex()).isEqualTo("080a01020304" + "000a000101");
        assertThat(option(offer, OptionCode.ROUTERS).hex()).as("routers are given too").isEqualTo("0a000101");
    }

    @Test
    void everyOptionHasItsFormOfRfc2132() {
        final DhcpMessage offer = offer(new Network().options(MANY), TestMessage.discover(MAC));
        assertThat(option(offer, OptionCode.SUBNET_MASK).hex()).isEqualTo("ffffff00");
        assertThat(option(offer, OptionCode.ROUTERS).hex()).isEqualTo("0a000101");
        assertThat(option(offer, OptionCode.DNS_SERVERS).hex()).isEqualTo("c0000235");
        assertThat(option(offer, OptionCode.DOMAIN).text()).isEqualTo("acme.example");
        assertThat(option(offer, OptionCode.MTU).hex()).isEqualTo("0578");
        assertThat(option(offer, OptionCode.NTP_SERVERS).hex()).isEqualTo("c000027b");
        assertThat(option(offer, OptionCode.TFTP_SERVER).text()).isEqualTo("tftp.acme.example");
        assertThat(option(offer, OptionCode.BOOT_FILE).text()).isEqualTo("pxelinux.0");
        assertThat(option(offer, 43).hex()).isEqualTo("0104");
        assertThat(option(offer, OptionCode.LEASE_TIME).u32(0)).isEqualTo(Network.LEASE);
        assertThat(option(offer, OptionCode.RENEWAL_TIME).u32(0)).isEqualTo(1800);
        assertThat(option(offer, OptionCode.REBINDING_TIME).u32(0)).isEqualTo(3150);
        assertThat(option(offer, OptionCode.SERVER).hex()).isEqualTo("0a000101");
        assertThat(offer.addresses().nextServer()).isEqualTo(Ipv4.parse("192.0.2.69"));
        assertThat(offer.file().text()).isEqualTo("pxelinux.0");
    }

    @Test
    void rfc2132Section98WhatIsAskedForComesInTheClientsOrder() {
        final DhcpMessage offer = offer(new Network().options(MANY), TestMessage.discover(MAC)
            .option(OptionCode.PARAMETER_LIST, "2a060f01fe"));
        assertThat(offer.options().all().keySet()).containsExactly(53, 54, 51, 58, 59, 1, 42, 6, 15, 3);
    }

    @Test
    void rfc2132Section33TheMaskIsBeforeTheRouters() {
        final DhcpMessage offer = offer(new Network(), TestMessage.discover(MAC)
            .option(OptionCode.PARAMETER_LIST, "0301"));
        assertThat(offer.options().all().keySet()).containsExactly(53, 54, 51, 58, 59, 1, 3);
    }

    @Test
    void rawOptionsWin() {
        final DhcpMessage offer = offer(new Network().options(raw(new Dhcp.RawOption(3, "ipv4-address", "10.0.1.2"),
            new Dhcp.RawOption(51, "uint32", "7"), new Dhcp.RawOption(200, "float", "1"))), TestMessage.discover(MAC));
        assertThat(option(offer, OptionCode.ROUTERS).hex()).isEqualTo("0a000102");
        assertThat(option(offer, OptionCode.LEASE_TIME).u32(0)).as("of the protocol").isEqualTo(Network.LEASE);
        assertThat(offer.options().get(200)).as("of no type").isEmpty();
    }

    @Test
    void theGatewayIsTheResolverIfItIsOne() {
        assertThat(offer(new Network(), TestMessage.discover(MAC)).options().get(OptionCode.DNS_SERVERS)).isEmpty();
        assertThat(option(offer(new Network().withResolver(), TestMessage.discover(MAC)), OptionCode.DNS_SERVERS).hex())
            .isEqualTo("0a000101");
        assertThat(option(offer(new Network().withResolver().options(MANY), TestMessage.discover(MAC)),
            OptionCode.DNS_SERVERS).hex()).isEqualTo("c0000235");
    }

    @Test
    void rfc6842TheClientIdentifierComesBack() {
        final DhcpMessage offer = offer(new Network(), TestMessage.discover(MAC)
            .option(OptionCode.CLIENT_IDENTIFIER, "ff010203"));
        assertThat(option(offer, OptionCode.CLIENT_IDENTIFIER).hex()).isEqualTo("ff010203");
        assertThat(offer(new Network(), TestMessage.discover(MAC)).options().get(OptionCode.CLIENT_IDENTIFIER))
            .isEmpty();
    }

    @Test
    void rfc3046Section22TheRelayAgentsOptionComesBackLast() {
        final DhcpMessage offer = offer(new Network(), TestMessage.discover(MAC).through("10.9.0.1")
            .option(OptionCode.CLIENT_IDENTIFIER, "ff010203").option(OptionCode.RELAY_AGENT, "0102aabb"));
        assertThat(option(offer, OptionCode.RELAY_AGENT).hex()).isEqualTo("0102aabb");
        assertThat(new ArrayList<>(offer.options().all().keySet())).endsWith(61, 82);
    }

    @Test
    void rfc2132Section910MessagesAreNoLongerThanTheClientTakes() {
        final Dhcp.RawOption[] raw = new Dhcp.RawOption[8];
        for (int index = 0; index < raw.length; index++) {
            raw[index] = new Dhcp.RawOption(200 + index, "text", "x".repeat(250));
        }
        final Network network = new Network().options(raw(raw));
        final String identifier = "ff".repeat(255);
        for (final int largest : new int[] {0, 300, 576, 900, 1400, 1500, 9000, 65535}) {
            for (final boolean relayed : new boolean[] {false, true}) {
                final TestMessage message = TestMessage.discover(MAC)
                    .option(OptionCode.CLIENT_IDENTIFIER, identifier);
                if (relayed) {
                    message.through("10.9.0.1").option(OptionCode.RELAY_AGENT, "01c8" + "aa".repeat(200));
                }
                if (largest > 0) {
                    message.option(OptionCode.LARGEST_MESSAGE, "%04x".formatted(largest));
                }
                final DhcpMessage offer = offer(network, message);
                final int size = offer.bytes().length() + 28;
                final int most = Math.min(1500, Math.max(576, largest));
                assertThat(size).isLessThanOrEqualTo(Math.min(1500, most + (relayed ? 204 : 0)))
                    .isGreaterThan(Math.min(1500, most) - 253);
                assertThat(option(offer, OptionCode.CLIENT_IDENTIFIER).length()).isEqualTo(255);
                assertThat(offer.options().get(OptionCode.RELAY_AGENT).isPresent()).isEqualTo(relayed);
                assertThat(offer.options().get(OptionCode.SUBNET_MASK)).isPresent();
            }
        }
    }

    @Test
    void rfc2132Section910MessagesAreAsLongAsTheClientTakes() {
        final Dhcp.RawOption[] raw = new Dhcp.RawOption[100];
        for (int index = 0; index < raw.length; index++) {
            raw[index] = new Dhcp.RawOption(130 + index, "text", "x".repeat(11));
        }
        final Network network = new Network().options(raw(raw));
        for (int most = 576; most < 620; most++) {
            assertThat(offer(network, TestMessage.discover(MAC)
                .option(OptionCode.LARGEST_MESSAGE, "%04x".formatted(most))).bytes().length() + 28)
                .isBetween(most - 12, most);
        }
    }

    @Test
    void aBootFileTooLongForItsFieldIsAnOptionAlone() {
        final String name = "x".repeat(128);
        final DhcpMessage offer = offer(new Network().options(new Dhcp.Options(List.of(), List.of(), Optional.empty(),
            List.of(), List.of(), Optional.empty(), List.of(), Optional.empty(), Optional.empty(), Optional.of(name),
            List.of())), TestMessage.discover(MAC));
        assertThat(offer.file().isEmpty()).isTrue();
        assertThat(option(offer, OptionCode.BOOT_FILE).text()).isEqualTo(name);
    }
}
