// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/**
 * How often the DHCP server of a tenant was sent something and did something, since the controller started.
 *
 * @param message what was asked, and the answer or why there was none
 */
public record DhcpCount(String tenant, String message, long count) { }
