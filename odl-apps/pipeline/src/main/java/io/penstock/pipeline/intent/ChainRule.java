// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Optional;

/**
 * Which packets of a tenant go through another chain than its own.
 *
 * @param priority lower ones decide first; no two rules of a tenant have the same
 * @param acl an RFC 8519 list, written as for packets to the backbone; those that it permits are meant
 * @param ways which packets: in {@link Ways#BOTH} directions the answers too
 * @param chain name of the chain; none when absent
 */
public record ChainRule(String name, int priority, String acl, Ways ways, Optional<String> chain) {
    /** Directions. */
    public enum Ways {
        BOTH, TO_BACKBONE, TO_TENANT;

        /** Whether packets to the backbone are meant, or those to the tenant. */
        public boolean has(final boolean toBackbone) {
            return this == BOTH || (this == TO_BACKBONE) == toBackbone;
        }
    }
}
