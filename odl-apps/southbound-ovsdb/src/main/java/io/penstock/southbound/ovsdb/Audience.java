// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

/**
 * An engine that takes the nodes.
 *
 * @param epoch of its mastership: a node that has served one with a greater epoch refuses it
 */
record Audience(OvsdbListener listener, long epoch) {
    Audience {
        requireNonNull(listener);
    }
}
