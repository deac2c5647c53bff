// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

/** Hears of the ports of switches. Called on a data tree thread, in order; must not block. */
public interface PortListener {
    /** A port is there, or has changed. */
    void onPort(SwitchId owner, PortStatus port);

    /** A port is gone, or its switch is. */
    void onPortRemoved(SwitchId owner, String portId);
}
