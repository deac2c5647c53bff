// SPDX-License-Identifier: Apache-2.0
/**
 * Between the switches and the DHCP servers of the VRFs: queues requests, has leases stored before they are
 * acknowledged, sends answers and conflict probes. The protocol is in io.penstock.dhcp; no flow is written here.
 */
package io.penstock.packets.dhcp;
