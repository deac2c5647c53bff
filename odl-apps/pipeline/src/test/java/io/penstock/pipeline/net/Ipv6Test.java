// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Ipv6Test {
    @ParameterizedTest
    @CsvSource({"::, ::", "0:0:0:0:0:0:0:0, ::", "::1, ::1", "1::, 1::", "2001:DB8::A, 2001:db8::a",
        "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1", "2001:db8:0:0:1:0:0:0, 2001:db8:0:0:1::",
        "2001:db8::1:1:1:1:1, 2001:db8:0:1:1:1:1:1", "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0", "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "::ffff:c000:0201, ::ffff:192.0.2.1", "1:2:3:4:5:6:255.255.255.255, 1:2:3:4:5:6:ffff:ffff",
        "ffff:ffff:ffff:ffff:8000::, ffff:ffff:ffff:ffff:8000::"})
    void anAddressHasOneText(final String read, final String written) {
        assertThat(Ipv6.parse(read)).hasToString(written).isEqualTo(Ipv6.parse(written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4::5:6:7:8",
        ":1::", "1::2:", ":1:2:3:4:5:6:7", "12345::", "g::", "-1::", "+1::", "fe80::1%eth0", "::1/64", " ::1", "::1 ",
        "192.0.2.1", "::192.0.2", "::192.0.2.1:1", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:",
        "::192.0.2.256", "192.0.2.1::", "1:2:3:4:5:6:7:192.0.2.1", "localhost", "[::1]",
        "١::"})
    void whatIsNoAddressIsRefused(final String text) {
        assertThatThrownBy(() -> Ipv6.parse(text)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("'" + text + "' is not an IPv6 address");
        assertThat(Ipv6.isAddress(text)).isFalse();
    }

    @Test
    void halvesAreInTheOrderOfTheNetwork() {
        assertThat(Ipv6.parse("2001:db8:8000::8000:0:1")).isEqualTo(new Ipv6(0x20010db880000000L, 0x800000000001L));
    }

    @Test
    void theJdkReadsTheSame() throws UnknownHostException {
        final Random random = new Random(6);
        for (int i = 0; i < 2000; i++) {
            // Every group is zero in half of the addresses.
            final ByteBuffer bytes = ByteBuffer.allocate(16);
            for (int group = 0; group < 8; group++) {
                bytes.putShort((short) (random.nextBoolean() ? 0 : random.nextInt()));
            }
            final Ipv6 address = new Ipv6(bytes.getLong(0), bytes.getLong(8));
            assertThat(Ipv6.parse(address.toString())).isEqualTo(address);
            assertThat(Ipv6.parse(InetAddress.getByAddress(bytes.array()).getHostAddress())).isEqualTo(address);
        }
    }

    @Test
    void masksAreThoseOfPrefixes() {
        assertThat(List.of(0, 1, 3, 48, 63, 64, 65, 127, 128)).extracting(length -> Ipv6.mask(length).toString())
            .containsExactly("::", "8000::", "e000::", "ffff:ffff:ffff::", "ffff:ffff:ffff:fffe::",
                "ffff:ffff:ffff:ffff::", "ffff:ffff:ffff:ffff:8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        assertThatThrownBy(() -> Ipv6.mask(129)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Ipv6.mask(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void orderIsThatOfUnsignedNumbers() {
        assertThat(List.of("::", "::1", "::8000:0:0:0", "1::", "7fff::", "8000::", "ffff::").stream()
            .map(Ipv6::parse).toList()).isSorted().doesNotHaveDuplicates();
    }
}
