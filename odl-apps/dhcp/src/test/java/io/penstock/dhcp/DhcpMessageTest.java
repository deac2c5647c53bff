// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DhcpMessageTest {
    private static final Mac MAC = new Mac(0x020000000001L);

    /** Fields before the options, with sname and file given. */
    private static BytesWriter fixed(final String serverName, final String file) {
        return new BytesWriter().put(Bytes.parseHex("01010601" + "deadbeef" + "00038000" + "0a000001" + "0a000002"
            + "0a000003" + "0a000004" + "020000000001" + "00".repeat(10)))
            .field(Bytes.parseHex(serverName), 64).field(Bytes.parseHex(file), 128).put(Bytes.parseHex("63825363"));
    }

    private static Bytes message(final String options) {
        return fixed("", "").put(Bytes.parseHex(options)).bytes();
    }

    @Test
    void rfc2131Section2FieldsAreRead() {
        final DhcpMessage message = DhcpMessage.parse(
            fixed("616263", "64").put(Bytes.parseHex("350101ff")).bytes()).orElseThrow();
        assertThat(message.header()).isEqualTo(new DhcpMessage.Header(1, 1, 1, 0xdeadbeefL, 3, 0x8000));
        assertThat(message.addresses())
            .isEqualTo(new DhcpMessage.Addresses(Ipv4.parse("10.0.0.1"), Ipv4.parse("10.0.0.2"),
                Ipv4.parse("10.0.0.3"), Ipv4.parse("10.0.0.4")));
        assertThat(message.mac()).isEqualTo(MAC);
        assertThat(message.serverName().text()).isEqualTo("abc");
        assertThat(message.file().text()).isEqualTo("d");
        assertThat(message.type()).contains(MessageType.DISCOVER);
    }

    @Test
    void isReadAsItWasWritten() {
        final DhcpMessage message = TestMessage.request(MAC).wants("10.0.0.9").name("pc").through("10.9.0.1")
            .option(OptionCode.RELAY_AGENT, "0102aabb").message();
        assertThat(DhcpMessage.parse(message.bytes())).contains(message);
    }

    @Test
    void rfc1542Section21MessagesHave300Bytes() {
        assertThat(TestMessage.discover(MAC).message().bytes().length()).isEqualTo(300);
    }

    @Test
    void rfc3396LongOptionsAreSplitAndJoined() {
        final Bytes value = Bytes.parseHex("ab".repeat(600));
        final BytesWriter written = new BytesWriter();
        OptionSet.of(Map.of(200, value)).write(written);
        assertThat(written.length()).isEqualTo(606).isEqualTo(OptionSet.sizeOf(value));
        assertThat(written.bytes().u8(1)).isEqualTo(255);
        assertThat(written.bytes().u8(258)).isEqualTo(255);
        assertThat(written.bytes().u8(515)).isEqualTo(90);
        assertThat(DhcpMessage.parse(fixed("", "").put(written.bytes()).u8(255).bytes()).orElseThrow()
            .options().get(200)).contains(value);
        assertThat(OptionSet.sizeOf(Bytes.EMPTY)).isEqualTo(2);
    }

    @Test
    void rfc3396OptionsThatStandApartAreJoined() {
        assertThat(DhcpMessage.parse(message("0c0161" + "350103" + "0c0162" + "ff")).orElseThrow().options()
            .get(OptionCode.HOST_NAME).orElseThrow().text()).isEqualTo("ab");
    }

    @Test
    void rfc2132Section93OptionsMayBeInFileThenInServerName() {
        final DhcpMessage message = DhcpMessage.parse(fixed("0c0163ff", "0c0162" + "350103ff")
            .put(Bytes.parseHex("340103" + "0c0161" + "ff")).bytes()).orElseThrow();
        assertThat(message.options().get(OptionCode.HOST_NAME).orElseThrow().text()).isEqualTo("abc");
        assertThat(message.type()).contains(MessageType.REQUEST);
        assertThat(message.file().isEmpty()).isTrue();
        assertThat(message.serverName().isEmpty()).isTrue();
    }

    @Test
    void rfc2132Section93EachFieldHasAnEnd() {
        assertThat(DhcpMessage.parse(fixed("", "0c0162").put(Bytes.parseHex("340101" + "350103ff")).bytes())).isEmpty();
        assertThat(DhcpMessage.parse(fixed("", "340102ff").put(Bytes.parseHex("340101" + "350103ff")).bytes()))
            .as("an overload in an overload").isEmpty();
    }

    @Test
    void whatIsMalformedIsNone() {
        assertThat(DhcpMessage.parse(message("350101"))).as("no end").isEmpty();
        assertThat(DhcpMessage.parse(message("3501"))).as("beyond the end").isEmpty();
        assertThat(DhcpMessage.parse(message("35"))).as("no length").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "3203" + "0a0001" + "ff"))).as("short address").isEmpty();
        assertThat(DhcpMessage.parse(message("35020101ff"))).as("two types").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "340104" + "ff"))).as("overload 4").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "3d0100" + "ff"))).as("short identifier").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "52020105" + "ff"))).as("broken sub-option").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "5203010201" + "ff"))).as("half a sub-option").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "520101" + "ff"))).as("no sub-option").isEmpty();
        assertThat(DhcpMessage.parse(message("350101" + "5203050101" + "ff"))).as("short link").isEmpty();
        assertThat(DhcpMessage.parse(message("350101ff").part(0, 239))).as("no options").isEmpty();
        final byte[] cookie = message("350101ff").toArray();
        cookie[239]++;
        assertThat(DhcpMessage.parse(Bytes.of(cookie))).as("another cookie").isEmpty();
        final byte[] hardware = message("350101ff").toArray();
        hardware[2] = 17;
        assertThat(DhcpMessage.parse(Bytes.of(hardware))).as("hardware address too long").isEmpty();
        assertThat(DhcpMessage.parse(message("350101ff"))).isPresent();
    }

    @Test
    void rfc2131Section2ClientsAreKnownByIdentifierOrHardware() {
        assertThat(TestMessage.discover(MAC).message().client()).isEqualTo("01020000000001");
        assertThat(TestMessage.discover(MAC).option(OptionCode.CLIENT_IDENTIFIER, "ff00112233").message().client())
            .isEqualTo("ff00112233");
    }
}
