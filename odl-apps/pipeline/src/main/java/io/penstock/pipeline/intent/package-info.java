// SPDX-License-Identifier: Apache-2.0
/**
 * The wishes of the operator, as immutable values: all of it is one {@link io.penstock.pipeline.intent.Snapshot}. Also
 * the check of a snapshot and the handing out of ids and addresses. Knows no flow, but how one matches or replaces a
 * prefix.
 */
package io.penstock.pipeline.intent;
