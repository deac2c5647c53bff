// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

/**
 * A VLAN of an access port, where frames of one attachment come from.
 *
 * @param port name of the port
 * @param vlan 1..4094
 */
public record AccessPlace(String port, int vlan) { }
