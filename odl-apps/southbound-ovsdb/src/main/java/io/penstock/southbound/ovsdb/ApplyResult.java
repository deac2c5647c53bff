// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;

/**
 * What {@link NodeSession#apply} did.
 *
 * @param changes rows inserted or changed; 0 if the database was already as specified and nothing was sent
 * @param refusedPorts ports of the specification that were left out, with the reason: their name is in use on another
 *     bridge of the node
 */
public record ApplyResult(int changes, Map<String, String> refusedPorts) {
    /** Copies the refused ports. */
    public ApplyResult {
        refusedPorts = Map.copyOf(refusedPorts);
    }
}
