// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

/** Looks at one part of the way of a packet. */
@FunctionalInterface
interface Check {
    /** Adds what was found to the walk. */
    void look(Subject subject, Walk walk);
}
