// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

/**
 * A port of a switch.
 *
 * @param id {@code openflow:<datapath id>:<port number or name of a reserved port>}
 * @param number OpenFlow port number, unsigned
 * @param name name of the interface
 * @param linkUp whether the other side is there
 */
public record PortStatus(String id, long number, String name, boolean linkUp) {
    public PortStatus {
        requireNonNull(id);
        requireNonNull(name);
    }
}
