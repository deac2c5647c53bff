// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

/** How a packet leaves the switch. */
public enum Exit {
    /** By a port. */
    PORT,
    /** To the controller. */
    CONTROLLER
}
