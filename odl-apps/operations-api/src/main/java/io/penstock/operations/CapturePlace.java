// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/** Where the packets of one tenant alone pass: a VLAN of an access port. */
public record CapturePlace(String attachment, String node, String port, int vlan) { }
