// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Dhcpv6;
import io.penstock.frames.Dhcpv6.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * DHCPv6 without addresses (RFC 8415, section 6.1): answers information requests, and nothing else. A function of the
 * request and of what is told on the link.
 */
final class StatelessDhcp {
    /** When hosts ask again (IRT_DEFAULT, section 7.6); seconds. */
    private static final int REFRESH_SECONDS = 86_400;
    private static final List<Integer> OF_ADDRESSES = List.of(Dhcpv6.IA_NA, Dhcpv6.IA_TA, Dhcpv6.IA_PD);

    private StatelessDhcp() {
        // Only functions.
    }

    /** The answer; none to other messages, and to requests that section 16.12 has a server discard. */
    static Optional<Dhcpv6> answer(final Dhcpv6 request, final Announcement told, final Bytes server) {
        if (request.type() != Dhcpv6.INFORMATION_REQUEST
                || OF_ADDRESSES.stream().anyMatch(code -> request.option(code).isPresent())
                || request.option(Dhcpv6.SERVER_ID).filter(each -> !each.equals(server)).isPresent()) {
            return Optional.empty();
        }
        final List<Option> options = new ArrayList<>();
        options.add(new Option(Dhcpv6.SERVER_ID, server));
        request.option(Dhcpv6.CLIENT_ID).ifPresent(client -> options.add(new Option(Dhcpv6.CLIENT_ID, client)));
        final List<Bytes> resolvers = Addresses.bytes(told.resolvers());
        final List<Bytes> clocks =
            Addresses.bytes(told.told().flatMap(each -> each.timeServers().stream()).distinct().toList());
        add(options, request, Dhcpv6.DNS_SERVERS, Dhcpv6.addresses(resolvers));
        add(options, request, Dhcpv6.DOMAIN_LIST, Dhcpv6.domains(told.domains()));
        add(options, request, Dhcpv6.SNTP_SERVERS, Dhcpv6.addresses(clocks));
        add(options, request, Dhcpv6.NTP_SERVER, Dhcpv6.timeServers(clocks));
        add(options, request, Dhcpv6.REFRESH_TIME, new BytesWriter().u32(REFRESH_SECONDS).bytes());
        return Optional.of(new Dhcpv6(Dhcpv6.REPLY, request.transaction(), options));
    }

    private static void add(final List<Option> options, final Dhcpv6 request, final int code, final Bytes data) {
        if (!data.isEmpty() && request.asksFor(code)) {
            options.add(new Option(code, data));
        }
    }
}
