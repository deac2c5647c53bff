// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/**
 * How a switch compares with its plan. {@code missing}, {@code excess} and {@code wrong} count meters too.
 *
 * @param planned flows
 * @param installed planned flows the switch has
 */
public record FlowCounts(int planned, int installed, int missing, int excess, int wrong) { }
