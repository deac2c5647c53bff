// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

/** Hears of switches that come and go. Called on threads of the OpenFlow connections; must not block. */
public interface ConnectionListener {
    /** The switch can be used from now on. Also called again, without a loss between, when it connected anew. */
    void onConnected(SwitchId connected);

    /** The switch cannot be used until it is announced again. Nothing is known of what it has or forwards. */
    void onDisconnected(SwitchId disconnected);
}
