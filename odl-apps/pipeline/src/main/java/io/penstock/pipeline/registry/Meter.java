// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.MeterSpec;

/**
 * The meters that a switch has whoever its tenants are: packets beyond a rate are dropped. Those of tenants are
 * {@link TenantMeter}s.
 */
public enum Meter {
    /** The controller's own packets to an unknown transit gateway; of tenants {@link TenantMeter#NEIGHBOUR}. */
    BACKBONE_NEIGHBOURS(2, 100, 200, "packets of no tenant to unresolved next hops in the backbone"),
    /** What the world may have the controller answer; of tenants see {@link TenantMeter#ERROR}. */
    BACKBONE_ERRORS(3, 100, 200, "packets of no tenant in the backbone that need an ICMP error");

    private final int number;
    private final int rate;
    private final int burst;
    private final String meaning;

    Meter(final int number, final int rate, final int burst, final String meaning) {
        this.number = number;
        this.rate = rate;
        this.burst = burst;
        this.meaning = meaning;
    }

    /** OpenFlow meter id, from 1. */
    public int number() {
        return number;
    }

    /** Packets a second. */
    public int rate() {
        return rate;
    }

    /** Packets that may come at once after a silence. */
    public int burst() {
        return burst;
    }

    /** The meter as a switch has it. */
    public MeterSpec spec() {
        return new MeterSpec(number, MeterSpec.Unit.PACKETS, rate, burst);
    }

    /** One phrase for the pipeline document. */
    public String meaning() {
        return meaning;
    }
}
