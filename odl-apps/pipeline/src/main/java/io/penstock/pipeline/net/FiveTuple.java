// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.function.Function;

/**
 * What tells a connection: addresses, protocol and ports of a whole packet of it, none of a fragment.
 *
 * @param source of IPv4 in the low 32 bits, as {@code destination}
 * @param sourcePort of ICMP the type
 * @param destinationPort of ICMP the code
 */
public record FiveTuple(IpFamily family, Ipv6 source, Ipv6 destination, int protocol, int sourcePort,
        int destinationPort) {
    private static final int ECHO_REQUEST = 8;
    private static final int ECHO_REQUEST6 = 128;
    private static final int LAST_PORT = 0xffff;

    /**
     * Reads what an operator wrote. Of {@code icmp}, of either family, an echo request is meant, and there are no
     * ports: 0.
     *
     * @throws IllegalArgumentException with the name of the field that will not do, as in the model
     */
    public static FiveTuple parse(final String source, final String destination, final String protocol,
            final int sourcePort, final int destinationPort) {
        final IpFamily family = source.indexOf(':') >= 0 ? IpFamily.IPV6 : IpFamily.IPV4;
        final Ipv6 from = address("source-address", source, family);
        final Ipv6 to = address("destination-address", destination, family);
        checkPort("source-port", sourcePort);
        checkPort("destination-port", destinationPort);
        if ("icmp".equals(protocol)) {
            if (sourcePort != 0 || destinationPort != 0) {
                throw new IllegalArgumentException(
                    (sourcePort != 0 ? "source-port" : "destination-port") + ": icmp has no ports, so it has to be 0");
            }
            return family == IpFamily.IPV4 ? new FiveTuple(family, from, to, IpProtocol.ICMP, ECHO_REQUEST, 0)
                : new FiveTuple(family, from, to, IpProtocol.ICMPV6, ECHO_REQUEST6, 0);
        }
        if (!"tcp".equals(protocol) && !"udp".equals(protocol)) {
            throw new IllegalArgumentException("protocol: '" + protocol + "' is none of tcp, udp, icmp");
        }
        return new FiveTuple(family, from, to, IpProtocol.number(protocol), sourcePort, destinationPort);
    }

    private static Ipv6 address(final String field, final String text, final IpFamily family) {
        final Function<String, Ipv6> reader = family == IpFamily.IPV6 ? Ipv6::parse
            : each -> new Ipv6(0, Ipv4.parse(each).number());
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(field + ": " + e.getMessage(), e);
        }
    }

    private static void checkPort(final String field, final int port) {
        if (port < 0 || port > LAST_PORT) {
            throw new IllegalArgumentException(field + ": " + port + " is not in 0..65535");
        }
    }

    /** The source, which has to be of IPv4. */
    public Ipv4 source4() {
        return new Ipv4(source.low());
    }

    /** The destination, which has to be of IPv4. */
    public Ipv4 destination4() {
        return new Ipv4(destination.low());
    }

    /** Whether it has ports: TCP and UDP. */
    public boolean hasPorts() {
        return protocol == IpProtocol.TCP || protocol == IpProtocol.UDP;
    }

    /** As the other end answers it. */
    public FiveTuple answer() {
        return hasPorts() ? new FiveTuple(family, destination, source, protocol, destinationPort, sourcePort)
            : new FiveTuple(family, /* source= */ destination, /* destination= */ source, protocol,
                family.replies().getOrDefault(sourcePort, sourcePort), destinationPort);
    }

    /** An address of it as text. */
    public String text(final Ipv6 address) {
        return family == IpFamily.IPV4 ? new Ipv4(address.low()).toString() : address.toString();
    }
}
