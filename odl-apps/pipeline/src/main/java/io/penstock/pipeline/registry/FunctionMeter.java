// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.MeterSpec;

/** Meters of the ports of network functions: what one of them may send to the controller, so that it harms no other. */
public final class FunctionMeter {
    /** Behind those of tenants; with as many ports they end where Open vSwitch knows no more meters (2^18). */
    private static final int FIRST = TenantMeter.END;
    private static final int LAST_PORT = (1 << 18) - 1 - FIRST;
    /** Twice as many as there are probes, at the shortest interval. */
    private static final int RATE = 40;

    private FunctionMeter() {
        // Only functions.
    }

    /**
     * OpenFlow meter id of a port's meter.
     *
     * @param port OpenFlow port number, 1..6143
     */
    public static int number(final int port) {
        if (port < 1 || port > LAST_PORT) {
            throw new IllegalArgumentException("port " + port);
        }
        return FIRST + port;
    }

    /** The OpenFlow port whose meter it is. */
    public static int portOf(final int id) {
        return id - FIRST;
    }

    /** The meter as a switch has it. */
    public static MeterSpec spec(final int port) {
        return new MeterSpec(number(port), MeterSpec.Unit.PACKETS, RATE, RATE);
    }
}
