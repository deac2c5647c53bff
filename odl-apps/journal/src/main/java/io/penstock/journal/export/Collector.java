// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where messages are sent.
 *
 * @param isStream whether by TCP, else by UDP
 */
public record Collector(boolean isStream, InetSocketAddress address) {
    private static final Pattern FORM = Pattern.compile("(udp:|tcp:)?(.*[^:]):([0-9]{1,5})");
    private static final int MOST_PORT = 65535;

    public Collector {
        requireNonNull(address);
    }

    /**
     * The collector in {@code 192.0.2.9:4739}, {@code udp:192.0.2.9:4739} or {@code tcp:192.0.2.9:4739}.
     *
     * @throws IllegalArgumentException when the text is no address and port
     */
    public static Collector parse(final String text) {
        final Matcher parts = FORM.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(3)) > MOST_PORT) {
            throw new IllegalArgumentException("'" + text + "' is not ADDRESS:PORT");
        }
        return new Collector("tcp:".equals(parts.group(1)),
            new InetSocketAddress(parts.group(2), Integer.parseInt(parts.group(3))));
    }

    @Override
    public String toString() {
        return (isStream ? "tcp:" : "udp:") + address.getHostString() + ":" + address.getPort();
    }
}
