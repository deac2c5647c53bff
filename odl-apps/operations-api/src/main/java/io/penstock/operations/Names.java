// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.SortedSet;

/**
 * Names of what is configured.
 *
 * @param nodes names of nodes
 * @param tenants names of tenants
 * @param functions names of functions
 */
public record Names(SortedSet<String> nodes, SortedSet<String> tenants, SortedSet<String> functions) { }
