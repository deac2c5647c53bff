// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * A chain and how many packets were sent into its functions.
 *
 * @param branch functions behind the second output of one of them
 */
public record ChainStatus(String name, List<String> functions, List<String> branch, long packets) { }
