// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.time.Duration;

/**
 * Times and bounds of an {@link OvsdbServer}.
 *
 * @param maxStrangerBytes longest message taken from a peer that has not announced a node; has to hold the schema
 * @param maxMessageBytes longest message taken from a node; has to hold the orders of all tenants of a node, which an
 *     apply reads with everything else
 */
public record OvsdbServerOptions(Patience patience, int maxStrangerBytes, int maxMessageBytes, Peers peers) {
    private static final long ROWS_IN_MESSAGES = 4;

    /** A node is given up after about 20 s of silence: three probes, and the cut at the fourth. */
    public static final OvsdbServerOptions DEFAULT = new OvsdbServerOptions(new Patience(Duration.ofSeconds(5),
        Duration.ofSeconds(10), Duration.ofSeconds(30)), 1 << 20, 64 << 20, new Peers(1024, 64, 8));

    /**
     * How long a peer may take.
     *
     * @param silence after it a peer is asked for a sign of life; after three of these it is cut off
     * @param handshake time a new peer has to prove that it is an Open vSwitch database
     * @param request time a node has to answer a request before it is cut off; one value for the whole process,
     *     because the library keeps it in a static field
     */
    public record Patience(Duration silence, Duration handshake, Duration request) { }

    /**
     * How many peers there may be at a time; more are closed at once.
     *
     * @param most all together
     * @param mostPerAddress of one address
     * @param mostNodesPerAddress of one address that may send messages of {@code maxMessageBytes}
     */
    public record Peers(int most, int mostPerAddress, int mostNodesPerAddress) { }

    /** Bytes of memory that the rows of all peers of one address may take. */
    long maxRowsBytesPerAddress() {
        return ROWS_IN_MESSAGES * maxMessageBytes;
    }
}
