// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/**
 * Reference to a row.
 *
 * @param id the row's UUID, or the name given to a row inserted in the same transaction (never of UUID form)
 */
record Ref(String id) { }
