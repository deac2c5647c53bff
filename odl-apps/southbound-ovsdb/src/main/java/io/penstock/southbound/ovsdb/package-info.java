// SPDX-License-Identifier: Apache-2.0
/**
 * The OVSDB side of a node: listens for the nodes' database connections, tells who announced itself, and brings a
 * node's Open vSwitch database to a {@link io.penstock.southbound.ovsdb.BridgeSpec}.
 *
 * <p>It owns the TCP server, the connections and the translation to OVSDB operations. It knows nothing of tenants,
 * flows or OpenDaylight's data store; what should be on a bridge comes in as plain records, and no type of the OVSDB
 * library appears in the public classes. The entry point is {@link io.penstock.southbound.ovsdb.OvsdbServer}.
 *
 * <p>Of the library it uses the JSON-RPC end point, the schema, notation and operation classes. Listening, framing,
 * error handling and connection life cycle are its own; the README of this module says why.
 */
package io.penstock.southbound.ovsdb;
