// SPDX-License-Identifier: Apache-2.0
/** What the VRFs' IPv6 needs of the controller: asking for neighbours, router advertisements, stateless DHCPv6. */
package io.penstock.packets.ipv6;
