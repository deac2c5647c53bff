// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.frames.Dhcpv6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatelessDhcpTest {
    private static final Bytes SERVER = Dhcpv6.duid(0x025053000001L);
    private static final Dhcpv6.Option CLIENT = new Dhcpv6.Option(Dhcpv6.CLIENT_ID, Dhcpv6.duid(0x020000000005L));
    private static final Announcement TOLD = new Announcement(List.of(new Ipv6Side.Subnet(
        Prefix6.parse("2001:db8:1::/64"), Ipv6.parse("2001:db8:1::1"), List.of(),
        new Advertisement(true, true, 600, 1800, Optional.empty(), List.of(Ipv6.parse("2001:db8::53")),
            List.of("example.com"), List.of(Ipv6.parse("2001:db8::7b"))))), true);

    @Test
    void whoAsksGetsWhatItAskedFor() {
        final Dhcpv6 reply = answer(Dhcpv6.INFORMATION_REQUEST, CLIENT,
            new Dhcpv6.Option(Dhcpv6.OPTION_REQUEST, Bytes.parseHex("00170018"))).orElseThrow();
        assertThat(reply.bytes().hex()).isEqualTo("07abcdef" + "0002000a00030001025053000001"
            + "0001000a00030001020000000005" + "0017001020010db8000000000000000000000053"
            + "0018000d076578616d706c6503636f6d00");
    }

    @Test
    void whoDoesNotSayGetsAll() {
        assertThat(answer(Dhcpv6.INFORMATION_REQUEST).orElseThrow().options()).extracting(Dhcpv6.Option::code)
            .containsExactly(2, 23, 24, 31, 56, 32);
    }

    @Test
    void whatIsNotConfiguredIsNotSaid() {
        final Dhcpv6 request = new Dhcpv6(Dhcpv6.INFORMATION_REQUEST, 1, List.of());
        assertThat(StatelessDhcp.answer(request, Announcement.NONE, SERVER).orElseThrow().options())
            .extracting(Dhcpv6.Option::code).containsExactly(2, 32);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 0, 255})
    void thereAreNoAddresses(final int type) {
        assertThat(answer(type, CLIENT)).isEmpty();
    }

    @Test
    void whatHasToBeDiscardedIs() {
        assertThat(answer(Dhcpv6.INFORMATION_REQUEST, new Dhcpv6.Option(Dhcpv6.SERVER_ID, Dhcpv6.duid(7)))).isEmpty();
        assertThat(answer(Dhcpv6.INFORMATION_REQUEST, new Dhcpv6.Option(Dhcpv6.SERVER_ID, SERVER))).isPresent();
        assertThat(answer(Dhcpv6.INFORMATION_REQUEST, new Dhcpv6.Option(Dhcpv6.IA_NA, Bytes.EMPTY))).isEmpty();
    }

    private static Optional<Dhcpv6> answer(final int type, final Dhcpv6.Option... options) {
        return StatelessDhcp.answer(new Dhcpv6(type, 0xabcdef, List.of(options)), TOLD, SERVER);
    }
}
