// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/**
 * A packet as a host of a tenant sends it to the backbone.
 *
 * @param protocol tcp, udp or icmp, which is an echo request and has the ports 0
 */
public record TraceQuestion(String tenant, String source, String destination, String protocol, int sourcePort,
        int destinationPort) { }
