// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What a node has said that it has for network functions.
 *
 * @param cores numbers of its cores
 * @param catalogue what it can start, by name
 * @param serviceHeader whether its switch can give packets a network service header
 */
public record NodeFacts(SortedSet<Integer> cores, SortedMap<String, Entry> catalogue, boolean serviceHeader) {
    /**
     * A function of the catalogue.
     *
     * @param shared whether several tenants may be led through one instance
     * @param routed whether it is a router; else it passes frames on
     * @param twoOutputs whether it has a second output
     */
    public record Entry(boolean shared, boolean routed, boolean twoOutputs) { }

    /** Of no node: nobody has said anything. */
    public static final Map<String, NodeFacts> UNKNOWN = Map.of();
}
