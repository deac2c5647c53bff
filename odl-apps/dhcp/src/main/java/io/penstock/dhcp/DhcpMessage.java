// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A message of DHCP (RFC 2131, section 2), or of BOOTP if it has no type.
 *
 * @param hardware the client's hardware address, at most 16 bytes
 * @param serverName field sname; empty in a message whose options are there too
 * @param file field file, likewise
 */
public record DhcpMessage(Header header, Addresses addresses, Bytes hardware, Bytes serverName, Bytes file,
        OptionSet options) {
    public static final int REQUEST = 1;
    public static final int REPLY = 2;
    /** Hardware type of Ethernet. */
    public static final int ETHERNET = 1;
    /** Flag of a client that hears broadcasts alone until it has an address. */
    public static final int BROADCAST = 0x8000;
    /** Bytes before the options. */
    static final int FIXED = 240;
    static final int FILE = 128;

    private static final int HARDWARE = 16;
    private static final int SERVER_NAME = 64;
    private static final int FILE_AT = 108;
    private static final int SERVER_NAME_AT = 44;
    private static final int COOKIE_AT = 236;
    private static final long COOKIE = 0x63825363L;
    /** What relay agents of BOOTP take for the shortest message (RFC 1542, section 2.1). */
    private static final int SHORTEST = 300;

    /**
     * Fields that say what the message is.
     *
     * @param operation {@link #REQUEST} or {@link #REPLY}
     * @param hardwareType as IANA has registered it
     * @param transaction what the client chose to know the answer by
     * @param seconds since the client began
     */
    public record Header(int operation, int hardwareType, int hops, long transaction, int seconds, int flags) { }

    /**
     * Addresses; {@link Ipv4#UNSPECIFIED} is none.
     *
     * @param client ciaddr, which the client has
     * @param yours yiaddr, which the client gets
     * @param nextServer siaddr, where it boots from
     * @param relay giaddr, of the relay agent
     */
    public record Addresses(Ipv4 client, Ipv4 yours, Ipv4 nextServer, Ipv4 relay) { }

    public DhcpMessage {
        requireNonNull(header);
        requireNonNull(addresses);
        requireNonNull(options);
        if (hardware.length() > HARDWARE || serverName.length() > SERVER_NAME || file.length() > FILE) {
            throw new IllegalArgumentException("a field is longer than its place");
        }
    }

    /**
     * Reads a message. Nothing if it is too short, has no magic cookie or its options cannot be read: see
     * {@link OptionSet}.
     */
    public static Optional<DhcpMessage> parse(final Bytes bytes) {
        if (bytes.length() < FIXED || bytes.u32(COOKIE_AT) != COOKIE || bytes.u8(2) > HARDWARE) {
            return Optional.empty();
        }
        final Bytes serverName = bytes.part(SERVER_NAME_AT, SERVER_NAME);
        final Bytes file = bytes.part(FILE_AT, FILE);
        return OptionSet.parse(bytes.from(FIXED), file, serverName).map(all -> new DhcpMessage(
            new Header(bytes.u8(0), bytes.u8(1), bytes.u8(3), bytes.u32(4), bytes.u16(8), bytes.u16(10)),
            new Addresses(new Ipv4(bytes.u32(12)), new Ipv4(bytes.u32(16)), new Ipv4(bytes.u32(20)),
                new Ipv4(bytes.u32(24))), bytes.part(28, bytes.u8(2)),
            all.fillServerName() ? Bytes.EMPTY : text(serverName), all.fillFile() ? Bytes.EMPTY : text(file), all));
    }

    /** What is before the first zero of a field. */
    private static Bytes text(final Bytes field) {
        int length = 0;
        while (length < field.length() && field.u8(length) != 0) {
            length++;
        }
        return field.part(0, length);
    }

    /** The message as the payload of UDP, padded to what relay agents let pass. */
    public Bytes bytes() {
        final BytesWriter message = new BytesWriter().u8(header.operation).u8(header.hardwareType)
            .u8(hardware.length()).u8(header.hops).u32(header.transaction).u16(header.seconds).u16(header.flags)
            .u32(addresses.client.number()).u32(addresses.yours.number()).u32(addresses.nextServer.number())
            .u32(addresses.relay.number())
            .field(hardware, HARDWARE).field(serverName, SERVER_NAME).field(file, FILE).u32(COOKIE);
        options.write(message);
        return message.u8(OptionCode.END).padTo(SHORTEST).bytes();
    }

    /** What it is; none for BOOTP and for types that are not of RFC 2132. */
    public Optional<MessageType> type() {
        return options.get(OptionCode.MESSAGE_TYPE).flatMap(value -> MessageType.of(value.u8(0)));
    }

    /** Whether a relay agent has sent it on. */
    boolean isRelayed() {
        return !addresses.relay.isUnspecified();
    }

    /** Whether the client has a MAC address. */
    boolean hasMac() {
        return header.hardwareType == ETHERNET && hardware.length() == 6;
    }

    /** The client's MAC address; throws IndexOutOfBoundsException if it has none. */
    Mac mac() {
        return new Mac(hardware.u48(0));
    }

    /** Who the client is (RFC 2131, section 2): its identifier, or else hardware type and address. Hexadecimal. */
    String client() {
        return options.get(OptionCode.CLIENT_IDENTIFIER).map(Bytes::hex)
            .orElseGet(() -> HexFormat.of().toHexDigits((byte) header.hardwareType) + hardware.hex());
    }
}
