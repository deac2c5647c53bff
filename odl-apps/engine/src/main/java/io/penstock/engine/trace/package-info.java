// SPDX-License-Identifier: Apache-2.0
/**
 * Which way a connection takes through the chains of its tenant, and whether the switch does what the plan says. Asks
 * the agent of the node, and changes nothing.
 */
package io.penstock.engine.trace;
