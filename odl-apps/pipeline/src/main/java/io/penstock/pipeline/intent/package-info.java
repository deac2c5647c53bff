// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of the operator, as immutable values: all of it is one {@link
 * io.penstock.pipeline.intent.Snapshot}. Values may break the rules, which are in {@code rules}. Uses {@code net}
 * alone: it knows no flow, no table and nothing that was allocated.
 */
package io.penstock.pipeline.intent;
