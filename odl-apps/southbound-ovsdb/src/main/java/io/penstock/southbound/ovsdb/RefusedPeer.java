// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/**
 * A peer that announces itself as a node and is not believed.
 *
 * @param name that it says
 * @param address from which it connects
 * @param reason for people
 */
public record RefusedPeer(String name, String address, String reason) { }
