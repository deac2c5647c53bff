// SPDX-License-Identifier: Apache-2.0
/**
 * Ids, public addresses, port blocks and leases that the controller has allocated, and its verdicts on canaries: all
 * of it is one {@link io.penstock.pipeline.allocation.Allocations}, which is stored. What is allocated for a snapshot
 * that broke no rule follows from the snapshot and from what was allocated before. Knows no flow.
 */
package io.penstock.pipeline.allocation;
