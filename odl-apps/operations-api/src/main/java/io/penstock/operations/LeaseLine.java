// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/**
 * An address that the DHCP server of a tenant has given, or remembers.
 *
 * @param state bound, free or declined
 * @param client who has it: hexadecimal client identifier, or hardware type and MAC address
 * @param attachment where it is; empty behind a relay agent
 * @param hostName empty if it told none
 * @param expires end of the lease, ISO 8601 in UTC; of a free one when it became free, of a declined one when it
 *     may be given again
 */
public record LeaseLine(String tenant, String address, String state, String mac, String client, String attachment,
        String hostName, String expires) { }
