// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import java.util.List;
import java.util.Optional;
import org.opendaylight.yangtools.yang.common.QName;

/**
 * What the other members of the cluster can store, while they are upgraded one after the other. A member passes over
 * changes with data that its models do not have, and lacks them from then on. Safe for all threads.
 */
public interface PeerModels {
    /** Whether another member that is a part of the cluster has other models than this one. */
    boolean differ();

    /**
     * A member of the cluster that cannot store data at a path.
     *
     * @param path names of data from the root on, without choices, and each list once
     */
    Optional<String> lacking(List<QName> path);
}
