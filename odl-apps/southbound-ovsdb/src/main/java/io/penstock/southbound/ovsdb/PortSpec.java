// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * One port wanted on the bridge, with exactly one interface of the same name.
 *
 * @param name name of port and interface, at most 15 characters as the kernel has it
 * @param type what the port is made of
 * @param ofport OpenFlow port number asked for, 1 to 65279
 * @param options column {@code options} of the interface, whole: other options found there are removed
 */
public record PortSpec(String name, OvsPortType type, int ofport, Map<String, String> options) {
    private static final int MAX_OFPORT = 65279;
    private static final int MAX_NAME = 15;

    /** Checks the ranges and copies the options. */
    public PortSpec {
        requireNonNull(type, "type");
        options = Map.copyOf(options);
        if (name.isEmpty() || name.length() > MAX_NAME || name.contains("/") || name.isBlank()) {
            throw new IllegalArgumentException("bad port name \"" + name + "\": 1 to 15 characters, no slash");
        }
        if (ofport < 1 || ofport > MAX_OFPORT) {
            throw new IllegalArgumentException("port " + name + ": OpenFlow port " + ofport + " is not in 1..65279");
        }
    }
}
