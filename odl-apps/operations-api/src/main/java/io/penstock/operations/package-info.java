// SPDX-License-Identifier: Apache-2.0
/**
 * What an operator asks of the engine, for the console and for RESTCONF. Plain values.
 *
 * <p>The questions are in {@link io.penstock.operations.Operations}, each answer is in a file of its own.
 */
package io.penstock.operations;
