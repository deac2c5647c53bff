// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Optional;

/**
 * What keeps a tenant from its neighbours and from harm.
 *
 * @param ingressAcl RFC 8519 list for what comes to the tenant from the backbone
 * @param stateful whether answers to what a list has let pass need no entry in the list of the other direction
 */
public record Protection(Optional<String> ingressAcl, boolean stateful, Quota quota) {
    /** No list and no limit. */
    public static final Protection NONE = new Protection(Optional.empty(), false, Quota.NONE);
}
