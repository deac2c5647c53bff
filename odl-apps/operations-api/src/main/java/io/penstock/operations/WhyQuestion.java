// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The question why packets of a tenant do not pass.
 *
 * @param host the host that sends them: an IPv4 or IPv6 address, a MAC address, the host name of a lease, or the name
 *     of an attachment; absent for all hosts
 * @param destination an IPv4 or IPv6 address, as the host sees it; absent for any
 * @param protocol {@code tcp}, {@code udp} or {@code icmp}; absent for {@code tcp} with a port, and {@code icmp}
 *     without one
 * @param port destination port, 0..65535; absent for {@code icmp}
 * @param inbound whether the host is an external one, and the destination a public address of the tenant, or an IPv6
 *     address of its hosts; both are required then, as addresses
 */
public record WhyQuestion(String tenant, Optional<String> host, Optional<String> destination,
        Optional<String> protocol, OptionalInt port, boolean inbound) { }
