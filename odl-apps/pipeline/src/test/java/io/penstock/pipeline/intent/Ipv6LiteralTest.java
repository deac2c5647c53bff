// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form of RFC 4291, section 2.2, and what only looks like one. */
class Ipv6LiteralTest {
    @ParameterizedTest
    @CsvSource({
        "2001:DB8:0:0:8:800:200C:417A, 20010db80000000000080800200c417a",
        "::, 00000000000000000000000000000000", "::1, 00000000000000000000000000000001",
        "2001:db8::, 20010db8000000000000000000000000", "64:ff9b::192.0.2.33, 0064ff9b0000000000000000c0000221",
        "1:2:3:4:5:6:192.0.2.33, 000100020003000400050006c0000221",
        "1::3:4:5:6:7:8, 00010000000300040005000600070008"})
    void anAddressIsRead(final String text, final String bytes) {
        assertThat(Ipv6Literal.parse(text)).hasValueSatisfying(address ->
            assertThat(HexFormat.of().formatHex(address)).isEqualTo(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "1", "192.0.2.1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::",
        "1:2:3:4::5:6:7:8", "12345::", "g::", "192.0.2.1::", "::192.0.2.256", "::192.0.2.1:1", "::1%eth0", "::1/64",
        ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:", "example.net"})
    void whatIsNoneIsNot(final String text) {
        assertThat(Ipv6Literal.parse(text)).isEmpty();
    }
}
