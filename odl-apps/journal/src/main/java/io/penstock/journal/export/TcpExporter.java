// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages over one TCP connection at a time, by a thread of its own. Records wait in a queue while the collector
 * is away; those for which it has no room are lost, and those that were being written when a connection broke. They are
 * not sent again: the collector may have them.
 */
final class TcpExporter<T> implements Exporter<T> {
    /** Records that wait: some megabytes. */
    static final int QUEUE = 20_000;
    private static final int AT_ONCE = 500;
    /** Bytes that are read at once; collectors send none. */
    private static final int PART = 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(TcpExporter.class);

    private final Collector collector;
    private final Supplier<Function<List<T>, List<Payload>>> sessions;
    private final BlockingQueue<T> queue = new ArrayBlockingQueue<>(QUEUE);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final TaskThread thread;
    /** Taken from the queue, and not written yet. */
    private List<T> taken = List.of();
    private boolean complained;

    /**
     * An exporter to a collector.
     *
     * @param sessions makes the format of a new connection
     * @param pause between attempts to connect
     */
    TcpExporter(final Collector collector, final Supplier<Function<List<T>, List<Payload>>> sessions,
            final Duration pause) {
        this.collector = requireNonNull(collector);
        this.sessions = requireNonNull(sessions);
        thread = new TaskThread("penstock-export-" + collector);
        thread.every(Duration.ZERO, pause, this::connect);
    }

    @Override
    public void accept(final List<T> some) {
        some.forEach(each -> {
            if (!queue.offer(each)) {
                lost.incrementAndGet();
            }
        });
    }

    /** One connection, or an attempt. */
    private void connect() {
        try (Selector selector = Selector.open(); SocketChannel link = SocketChannel.open()) {
            link.socket().connect(collector.address(), (int) PATIENCE.toMillis());
            link.configureBlocking(false);
            link.register(selector, SelectionKey.OP_WRITE);
            if (complained) {
                LOG.info("Connected with the collector {} again", collector);
            }
            complained = false;
            send(link, selector, sessions.get());
        } catch (IOException | UnresolvedAddressException e) {
            if (!thread.isClosed() && !complained) {
                LOG.warn("Cannot send records to {}: {}. Up to {} wait until it is back", collector, e.toString(),
                    QUEUE);
            }
            complained = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(final SocketChannel link, final Selector selector, final Function<List<T>, List<Payload>> format)
            throws IOException, InterruptedException {
        while (true) {
            if (taken.isEmpty()) {
                final T first = queue.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                taken = new ArrayList<>();
                if (first != null) {
                    taken.add(first);
                    queue.drainTo(taken, AT_ONCE - 1);
                }
            }
            // Else what is written first after the collector has ended would be lost without an error.
            if (link.read(ByteBuffer.allocate(PART)) < 0) {
                throw new EOFException("the collector has closed the connection");
            }
            final List<Payload> messages = format.apply(taken);
            taken = List.of();
            write(link, selector, messages);
        }
    }

    private void write(final SocketChannel link, final Selector selector, final List<Payload> messages)
            throws IOException {
        int left = messages.stream().mapToInt(Payload::records).sum();
        try {
            for (final Payload message : messages) {
                while (message.bytes().hasRemaining()) {
                    if (link.write(message.bytes()) == 0) {
                        selector.selectedKeys().clear();
                        if (selector.select(PATIENCE.toMillis()) == 0) {
                            throw new SocketTimeoutException("the collector takes nothing");
                        }
                    }
                }
                sent.addAndGet(message.records());
                left -= message.records();
            }
        } finally {
            lost.addAndGet(left);
        }
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

    /** What waits is lost. */
    @Override
    public void close() {
        thread.close();
    }
}
