// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends each message in a datagram. The socket never blocks: what its buffer does not take is lost. */
final class UdpExporter<T> implements Exporter<T> {
    private static final Logger LOG = LoggerFactory.getLogger(UdpExporter.class);

    private final Collector collector;
    private final Function<List<T>, List<Payload>> format;
    private final DatagramChannel channel;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private boolean complained;

    /**
     * An exporter to a collector.
     *
     * @param format makes the payload of datagrams; it is called by one thread at a time
     */
    UdpExporter(final Collector collector, final Function<List<T>, List<Payload>> format) {
        this.collector = requireNonNull(collector);
        this.format = requireNonNull(format);
        try {
            channel = DatagramChannel.open();
            channel.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send to " + collector, e);
        }
    }

    @Override
    public synchronized void accept(final List<T> some) {
        format.apply(some).forEach(this::send);
    }

    private void send(final Payload datagram) {
        String reason = "the buffer of the socket is full";
        boolean isSent = false;
        try {
            isSent = channel.send(datagram.bytes(), collector.address()) > 0;
        } catch (IOException | UnresolvedAddressException e) {
            reason = e.toString();
        }
        (isSent ? sent : lost).addAndGet(datagram.records());
        if (!isSent && !complained) {
            LOG.warn("Cannot send records to {}: {}", collector, reason);
        }
        complained = !isSent;
    }

    @Override
    public Collector collector() {
        return collector;
    }

    @Override
    public long sent() {
        return sent.get();
    }

    @Override
    public long lost() {
        return lost.get();
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
