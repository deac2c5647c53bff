// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.node.BridgeTranslator;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.ovsdb.OvsdbServer;

/**
 * The ways to the nodes.
 *
 * @param openFlow to their switches
 * @param databases takes their databases; started before the engine, which it serves, and closed after it
 * @param bridges writes bridges for them
 * @param admission which databases are believed
 * @param shared whether other members of the cluster have connections of their own to the same switches
 */
public record Southbounds(OpenFlowSouthbound openFlow, OvsdbServer databases, BridgeTranslator bridges,
        NodeAdmission admission, boolean shared) {
    public Southbounds {
        requireNonNull(openFlow);
        requireNonNull(databases);
        requireNonNull(bridges);
        requireNonNull(admission);
    }
}
