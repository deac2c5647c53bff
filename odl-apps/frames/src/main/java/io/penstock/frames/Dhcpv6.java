// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A message of DHCPv6 between client and server (RFC 8415, section 8).
 *
 * @param transaction 24 bits by which the client knows the answer
 */
public record Dhcpv6(int type, int transaction, List<Option> options) {
    public static final int REPLY = 7;
    public static final int INFORMATION_REQUEST = 11;
    public static final int CLIENT_PORT = 546;
    public static final int SERVER_PORT = 547;

    public static final int CLIENT_ID = 1;
    public static final int SERVER_ID = 2;
    public static final int IA_NA = 3;
    public static final int IA_TA = 4;
    public static final int OPTION_REQUEST = 6;
    /** RFC 3646. */
    public static final int DNS_SERVERS = 23;
    public static final int DOMAIN_LIST = 24;
    public static final int IA_PD = 25;
    /** RFC 4075. */
    public static final int SNTP_SERVERS = 31;
    public static final int REFRESH_TIME = 32;
    /** RFC 5908. */
    public static final int NTP_SERVER = 56;

    private static final int HEADER = 4;
    private static final int NTP_ADDRESS = 1;
    private static final int DUID_LL = 3;
    private static final int ETHERNET = 1;

    public Dhcpv6 {
        options = List.copyOf(options);
    }

    /** An option. */
    public record Option(int code, Bytes data) { }

    /** Reads the payload of a datagram; nothing if it is too short or an option is longer than what is left. */
    public static Optional<Dhcpv6> parse(final Bytes payload) {
        if (payload.length() < HEADER) {
            return Optional.empty();
        }
        final List<Option> options = new ArrayList<>();
        Bytes rest = payload.from(HEADER);
        while (!rest.isEmpty()) {
            if (rest.length() < HEADER || rest.u16(2) > rest.length() - HEADER) {
                return Optional.empty();
            }
            options.add(new Option(rest.u16(0), rest.part(HEADER, rest.u16(2))));
            rest = rest.from(HEADER + rest.u16(2));
        }
        return Optional.of(new Dhcpv6(payload.u8(0), payload.u8(1) << 16 | payload.u16(2), options));
    }

    /** What the first option of a code has. */
    public Optional<Bytes> option(final int code) {
        return options.stream().filter(option -> option.code() == code).map(Option::data).findFirst();
    }

    /** Whether the client asks for an option by its code; all are asked for when it does not say. */
    public boolean asksFor(final int code) {
        final Bytes codes = option(OPTION_REQUEST).orElse(null);
        if (codes == null) {
            return true;
        }
        for (int at = 0; at + 1 < codes.length(); at += 2) {
            if (codes.u16(at) == code) {
                return true;
            }
        }
        return false;
    }

    /** The payload of a datagram. */
    public Bytes bytes() {
        final BytesWriter writer = new BytesWriter().u8(type).u8(transaction >> 16).u16(transaction);
        options.forEach(option -> writer.u16(option.code()).u16(option.data().length()).put(option.data()));
        return writer.bytes();
    }

    /** Names a server or client by its MAC address (section 11.4). */
    public static Bytes duid(final long mac) {
        return new BytesWriter().u16(DUID_LL).u16(ETHERNET).u48(mac).bytes();
    }

    /** The data of an option with addresses of 16 bytes. */
    public static Bytes addresses(final List<Bytes> addresses) {
        final BytesWriter writer = new BytesWriter();
        addresses.forEach(writer::put);
        return writer.bytes();
    }

    /** The data of {@link #DOMAIN_LIST}. Throws IllegalArgumentException when one is no domain. */
    public static Bytes domains(final List<String> domains) {
        return Names.encode(domains);
    }

    /** The data of {@link #NTP_SERVER}: a suboption for each address. */
    public static Bytes timeServers(final List<Bytes> addresses) {
        final BytesWriter writer = new BytesWriter();
        addresses.forEach(address -> writer.u16(NTP_ADDRESS).u16(address.length()).put(address));
        return writer.bytes();
    }
}
