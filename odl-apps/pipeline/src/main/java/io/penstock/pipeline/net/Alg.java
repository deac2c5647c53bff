// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** An application level gateway of conntrack (RFC 2663, section 2.9). */
public enum Alg {
    FTP(21);

    private final int port;

    Alg(final int port) {
        this.port = port;
    }

    /** The TCP port of its control connections, by which OpenFlow names it as well. */
    public int port() {
        return port;
    }
}
