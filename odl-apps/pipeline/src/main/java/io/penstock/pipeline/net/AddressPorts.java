// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** Ports of one IPv4 address. */
public record AddressPorts(Ipv4 address, PortRange ports) { }
