// SPDX-License-Identifier: Apache-2.0
/**
 * The wrapper around OpenDaylight's OVSDB library: nothing but the life cycle of the library's one static thread pool.
 *
 * <p>The bundle holds the JSON-RPC end point, the schema, notation and operation classes of the library. It leaves out
 * the library's connection service: that one cannot be stopped or told of a failed bind, shares its listeners and
 * connections in static maps, and starts itself by blueprint. Users of this bundle open the TCP side themselves.
 */
package io.penstock.ovsdb.library;
