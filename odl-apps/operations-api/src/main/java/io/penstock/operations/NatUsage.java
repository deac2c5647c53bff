// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;
import java.util.OptionalLong;

/** What is used of the public addresses. */
public record NatUsage(List<PoolUsage> pools, List<BlockUsage> portBlocks) {
    /** How many addresses a pool has, and how many tenants have one. */
    public record PoolUsage(String name, long addresses, long used, List<Drained> drain) { }

    /** Addresses that no new tenant gets, and the tenants that still have one. */
    public record Drained(String prefix, List<String> tenants) { }

    /**
     * Blocks of one entry of a tenant.
     *
     * @param subscribers those that have a block
     * @param blocks all there are
     * @param used those that subscribers have
     * @param addresses each public address
     * @param top subscribers with most blocks, ten at most
     */
    public record BlockUsage(String tenant, String inside, String outside, int subscribers, int blocks, int used,
            List<AddressUsage> addresses, List<Used> top) { }

    /**
     * Blocks of one public address.
     *
     * @param emptyInSeconds estimate of when no subscriber has one; nothing when it is not drained, or none has
     *     left yet
     */
    public record AddressUsage(String address, int blocks, boolean draining, OptionalLong emptyInSeconds) { }

    /** Blocks of one subscriber. */
    public record Used(String subscriber, int blocks) { }
}
