// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Map;

/**
 * How to get from a database to a specification.
 *
 * @param changes the steps of one transaction; empty if there is nothing to do
 * @param refusedPorts see {@link ApplyResult}
 */
record BridgePlan(List<RowChange> changes, Map<String, String> refusedPorts) { }
