// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What a node has said that it has for network functions.
 *
 * @param cores numbers of its cores
 * @param catalogue what it can start, by name: whether several tenants may be led through one instance
 */
public record NodeFacts(SortedSet<Integer> cores, SortedMap<String, Boolean> catalogue) {
    /** Of no node: nobody has said anything. */
    public static final Map<String, NodeFacts> UNKNOWN = Map.of();
}
