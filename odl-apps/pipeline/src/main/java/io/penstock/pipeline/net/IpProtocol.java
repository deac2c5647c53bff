// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** Protocols above IPv4 and IPv6, by the numbers and names that IANA has registered. */
public final class IpProtocol {
    public static final int ICMP = 1;
    public static final int TCP = 6;
    public static final int UDP = 17;
    public static final int ICMPV6 = 58;
    public static final int SCTP = 132;

    private IpProtocol() {
        // Constants only
    }

    /** The name of TCP or UDP, as the model and the journal have it; throws IllegalArgumentException for others. */
    public static String name(final int number) {
        return switch (number) {
            case TCP -> "tcp";
            case UDP -> "udp";
            default -> throw new IllegalArgumentException("protocol " + number + " has no ports");
        };
    }

    /** The number of "tcp" or "udp"; throws IllegalArgumentException for others. */
    public static int number(final String name) {
        return switch (name) {
            case "tcp" -> TCP;
            case "udp" -> UDP;
            default -> throw new IllegalArgumentException("protocol " + name + " has no ports");
        };
    }
}
