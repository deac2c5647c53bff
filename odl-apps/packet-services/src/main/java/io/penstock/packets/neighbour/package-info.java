// SPDX-License-Identifier: Apache-2.0
/** Asks for next hops by ARP. The answers teach the switch; no flow is written here. */
package io.penstock.packets.neighbour;
