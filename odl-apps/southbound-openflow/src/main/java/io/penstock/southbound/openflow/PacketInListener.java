// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

/** Takes frames from switches. */
@FunctionalInterface
public interface PacketInListener {
    /** A frame arrived. Called on a notification thread, in the order of arrival of one switch; must not block. */
    void onPacketIn(PacketIn packet);
}
