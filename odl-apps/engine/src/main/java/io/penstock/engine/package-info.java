// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps every node as its plan says. Listeners only mark work; one thread for the configuration hands out ids, one
 * thread for each node plans, compares and sends. Writes no flow that the planner did not make.
 */
package io.penstock.engine;
