// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages to a collector in UDP datagrams. What does not arrive is lost. Never blocks; safe for all threads if
 * the format is.
 *
 * @param <T> what the messages are made of
 */
public final class UdpExporter<T> implements Consumer<List<T>>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UdpExporter.class);

    private final InetSocketAddress collector;
    private final Function<List<T>, List<ByteBuffer>> format;
    private final DatagramChannel channel;
    private volatile boolean complained;

    /**
     * An exporter to a collector.
     *
     * @param format makes the payload of datagrams
     */
    public UdpExporter(final InetSocketAddress collector, final Function<List<T>, List<ByteBuffer>> format) {
        this.collector = requireNonNull(collector);
        this.format = requireNonNull(format);
        try {
            channel = DatagramChannel.open();
            channel.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send to " + collector, e);
        }
    }

    /**
     * The collector in {@code 192.0.2.9:4739}.
     *
     * @throws IllegalArgumentException when the text is no address and port
     */
    public static InetSocketAddress collector(final String text) {
        final int colon = text.lastIndexOf(':');
        if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException("'" + text + "' is not ADDRESS:PORT");
        }
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public void accept(final List<T> some) {
        try {
            for (final ByteBuffer datagram : format.apply(some)) {
                channel.send(datagram, collector);
            }
            complained = false;
        } catch (IOException | UnresolvedAddressException e) {
            if (!complained) {
                LOG.warn("Cannot send events to {}: {}", collector, e.toString());
            }
            complained = true;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("Cannot close the socket to {}", collector, e);
        }
    }
}
