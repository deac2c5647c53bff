// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.net.Ipv4;

/**
 * An address that a switch has not learned. Whether a host has it is known when it was asked for by ARP.
 *
 * @param outside whether it is on a network of the backbone, or else in a subnet of the tenant
 */
public record Unheard(Ipv4 address, boolean outside) { }
