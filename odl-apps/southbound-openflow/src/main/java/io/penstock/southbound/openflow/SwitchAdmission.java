// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.util.Optional;

/** Says which node may connect which switch. Called on threads of the OpenFlow connections; must not block. */
@FunctionalInterface
public interface SwitchAdmission {
    /**
     * Why a switch may not be connected by a node; empty if it may.
     *
     * @param node named by the certificate of the connection
     * @param id what the switch says that it is
     */
    Optional<String> denies(String node, SwitchId id);
}
