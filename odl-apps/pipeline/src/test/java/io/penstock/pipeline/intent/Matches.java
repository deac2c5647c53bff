// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.intent.AclMatch.Ends;
import io.penstock.pipeline.intent.AclMatch.Icmp;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import java.util.Optional;

/** What entries of lists match in tests. */
public final class Matches {
    /** All packets. */
    public static final AclMatch ANY = ports(Optional.empty(), Optional.empty(), Optional.empty());

    private Matches() {
        // Only functions.
    }

    /** Packets of a protocol to some ports. */
    public static AclMatch to(final int protocol, final int low, final int high) {
        return ports(Optional.of(protocol), Optional.empty(), Optional.of(new PortRange(low, high)));
    }

    /** Packets from some ports to others. */
    public static AclMatch ports(final Optional<Integer> protocol, final Optional<PortRange> source,
            final Optional<PortRange> destination) {
        return ipv4(any(), protocol, new Ends<>(source, destination), Optional.empty());
    }

    /** ICMP packets of IPv4. */
    public static AclMatch icmp(final int type) {
        return ipv4(any(), Optional.of(IpProtocol.ICMP), any(), Optional.of(type));
    }

    /** About IPv4 when it says anything that is IPv4's, else about both families. */
    public static AclMatch ipv4(final Ends<Prefix> addresses, final Optional<Integer> protocol,
            final Ends<PortRange> ports, final Optional<Integer> icmpType) {
        final boolean own = !addresses.equals(any()) || protocol.equals(Optional.of(IpProtocol.ICMP));
        return new AclMatch(own ? Optional.of(IpFamily.IPV4) : Optional.empty(), protocol, addresses, any(), ports,
            new Icmp(icmpType, Optional.empty()));
    }

    /** Any addresses or ports. */
    public static <T> Ends<T> any() {
        return new Ends<>(Optional.empty(), Optional.empty());
    }
}
