// SPDX-License-Identifier: Apache-2.0
/** ICMP errors of the routers of VRFs and of the backbone, about packets that the switches report. */
package io.penstock.packets.icmp;
