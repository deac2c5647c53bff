// SPDX-License-Identifier: Apache-2.0
/**
 * What the operator wants, as immutable values: the whole of it is one {@link io.penstock.pipeline.intent.Snapshot}.
 * Also the check of a snapshot and the handing out of ids and addresses. Knows nothing of flows.
 */
package io.penstock.pipeline.intent;
