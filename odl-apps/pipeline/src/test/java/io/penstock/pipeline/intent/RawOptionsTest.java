// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DHCP options by number: every form of a value, its limits, and its bytes. */
class RawOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "hex | 00fF10 | 00ff10", "text | a b~ | 6120627e", "ipv4-address | 192.0.2.1 | c0000201",
        "ipv4-address | 10.0.0.1, 10.0.0.255 | 0a0000010a0000ff", "uint8 | 0 | 00", "uint8 | 255 | ff",
        "uint16 | 258 | 0102", "uint16 | 65535 | ffff", "uint32 | 16909060 | 01020304",
        "uint32 | 4294967295 | ffffffff"})
    void aValueHasItsBytes(final String type, final String value, final String bytes) {
        final Dhcp.RawOption option = new Dhcp.RawOption(43, type, value);
        assertThat(RawOptions.problem(option)).isEmpty();
        assertThat(HexFormat.of().formatHex(RawOptions.bytes(option))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "hex | 0 | value: '0' is not pairs", "hex | zz | value: 'zz' is not pairs", "hex | '' | value: has 0 bytes",
        "text | '' | value: has 0 bytes", "text | grün | value: is not printable ASCII",
        "ipv4-address | 10.0.0 | value: '10.0.0' is not an IPv4 address",
        "ipv4-address | 10.0.0.1, | value: '' is not an IPv4 address",
        "uint8 | 256 | value: '256' is not a number in 0..255", "uint8 | -1 | value: '-1' is not a number",
        "uint16 | 65536 | value: '65536' is not a number in 0..65535",
        "uint32 | 4294967296 | value: '4294967296' is not a number in 0..4294967295",
        "uint32 | 99999999999 | value: '99999999999' is not", "uint8 | '' | value: '' is not a number",
        "int8 | 1 | type: 'int8' is none of hex"})
    void aValueThatIsNotOfItsFormIsNamed(final String type, final String value, final String problem) {
        final Dhcp.RawOption option = new Dhcp.RawOption(43, type, value);
        assertThat(RawOptions.problem(option)).hasValueSatisfying(found -> assertThat(found).startsWith(problem));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 50, 51, 52, 53, 54, 55, 57, 58, 59, 61, 82, 255})
    void theProtocolsOwnOptionsAreRefused(final int code) {
        assertThat(RawOptions.problem(new Dhcp.RawOption(code, "hex", "00"))).contains(
            "code: " + code + " is the protocol's own");
    }

    @Test
    void codesAndLengthsHaveLimits() {
        for (final int code : new int[] {1, 49, 56, 60, 254}) {
            assertThat(RawOptions.problem(new Dhcp.RawOption(code, "hex", "ab".repeat(255)))).isEmpty();
        }
        assertThat(RawOptions.problem(new Dhcp.RawOption(43, "hex", "ab".repeat(256))))
            .contains("value: has 256 bytes; 1 to 255 are possible");
        assertThat(RawOptions.problem(new Dhcp.RawOption(256, "hex", "00"))).contains("code: 256 is not in 1..254");
        assertThat(RawOptions.problem(new Dhcp.RawOption(-1, "hex", "00"))).contains("code: -1 is not in 1..254");
        assertThatThrownBy(() -> RawOptions.bytes(new Dhcp.RawOption(43, "uint8", "x")))
            .isInstanceOf(IllegalArgumentException.class);
    }
}
