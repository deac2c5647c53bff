// SPDX-License-Identifier: Apache-2.0
/**
 * From a snapshot of intent to the complete state of one node, and from two states to their difference. Nothing here
 * sends or waits, and equal input gives equal output. Only a {@link io.penstock.pipeline.plan.Planner} remembers: its
 * last plans.
 */
package io.penstock.pipeline.plan;
