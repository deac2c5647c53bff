// SPDX-License-Identifier: Apache-2.0
/**
 * A server of DHCP for IPv4 (RFC 2131) as a function: a message, the configuration and the leases of a VRF in, an
 * answer and changed leases out. Does not know how messages come and go, nor where leases are kept.
 */
package io.penstock.dhcp;
