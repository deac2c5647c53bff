// SPDX-License-Identifier: Apache-2.0
/**
 * From a snapshot of intent to the complete state of one node, and from two states to their difference. Pure functions:
 * nothing here sends, waits or remembers.
 */
package io.penstock.pipeline.plan;
