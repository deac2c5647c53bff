// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.Set;

/**
 * What a node has for network functions.
 *
 * @param cores numbers of its cores
 * @param catalogue what it can start, by name
 */
public record NodeFunctions(Set<Integer> cores, Map<String, Entry> catalogue) {
    /** Copies what is given. */
    public NodeFunctions {
        cores = Set.copyOf(cores);
        catalogue = Map.copyOf(catalogue);
    }

    /**
     * A function of the catalogue.
     *
     * @param shared whether several tenants may be led through one instance
     * @param routed whether it is a router; else it passes frames on
     * @param twoOutputs whether it has a second output
     */
    public record Entry(boolean shared, boolean routed, boolean twoOutputs) { }
}
