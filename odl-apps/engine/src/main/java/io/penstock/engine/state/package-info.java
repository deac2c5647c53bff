// SPDX-License-Identifier: Apache-2.0
/**
 * State of nodes, tenants, functions and pools as operators see it: computed from what the engine knows without asking
 * a node, and told when it changes. Knows no OpenDaylight.
 */
package io.penstock.engine.state;
