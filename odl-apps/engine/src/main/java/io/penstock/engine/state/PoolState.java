// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

/** A pool of public addresses: how many it has, and how many of them tenants have. */
public record PoolState(long size, long used) implements Status<PoolState> {
    @Override
    public boolean isLike(final PoolState other) {
        return true;
    }
}
