// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

/**
 * A meter of a switch: what is beyond its rate is dropped.
 *
 * @param id OpenFlow meter id, 1..262143 in Open vSwitch
 * @param unit of rate and burst
 * @param rate units a second, from 1
 * @param burst units that may come at once after a silence, from 1
 */
public record MeterSpec(int id, Unit unit, long rate, long burst) {
    private static final int LAST_ID = (1 << 18) - 1;
    private static final long MOST = 0xffffffffL;

    public MeterSpec {
        if (id < 1 || id > LAST_ID || rate < 1 || rate > MOST || burst < 1 || burst > MOST) {
            throw new IllegalArgumentException("meter " + id + " of rate " + rate + " and burst " + burst);
        }
    }

    /** The meter as ovs-ofctl reads it. */
    public String text() {
        return "meter=%d,%s,burst,band=type=drop,rate=%d,burst_size=%d".formatted(id,
            unit == Unit.PACKETS ? "pktps" : "kbps", rate, burst);
    }

    /** What a meter counts. */
    public enum Unit {
        /** Packets. */
        PACKETS,
        /** Kilobits, 1000 bits each. */
        KILOBITS
    }
}
