// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Reads bodies of requests with a bound on each and on all that are read at the same time. The first bytes of each body
 * need no room, so that large bodies keep no small one out. A thread that reads waits for the sender, so their number
 * is bounded, and the time that a body may take. Safe for all threads.
 */
final class BodyBudget {
    private static final int STEP = 1 << 16;

    private final int most;
    private final int free;
    private final Semaphore room;
    private final Semaphore readers;
    private final Duration time;
    private final LongSupplier nanos;

    /**
     * An unused budget.
     *
     * @param most bytes of a body
     * @param free bytes of each body that need no room
     * @param room bytes beyond those, of all bodies that are read and not yet closed
     * @param readers bodies that are being read
     * @param time in which a body is to be there, looked at whenever some of it comes
     * @param nanos nanoseconds since any moment
     */
    BodyBudget(final int most, final int free, final int room, final int readers, final Duration time,
            final LongSupplier nanos) {
        this.most = most;
        this.free = free;
        this.room = new Semaphore(room);
        this.readers = new Semaphore(readers);
        this.time = requireNonNull(time);
        this.nanos = requireNonNull(nanos);
    }

    int most() {
        return most;
    }

    /** A body is longer than permitted. */
    static final class TooLargeException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** There is no room for a large body, or no reader, now. */
    static final class BusyException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** A body does not come in time. */
    static final class SlowException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** A body in memory, with its room until it is closed. Not for several threads. */
    final class Body implements AutoCloseable {
        private byte[] bytes = {};
        private int taken;

        byte[] bytes() {
            return bytes;
        }

        boolean isLarge() {
            return bytes.length > free;
        }

        private void read(final InputStream input)
                throws IOException, TooLargeException, BusyException, SlowException {
            final long begun = nanos.getAsLong();
            final ByteArrayOutputStream all = new ByteArrayOutputStream();
            final byte[] buffer = new byte[STEP];
            for (int count = some(input, buffer); count >= 0; count = some(input, buffer)) {
                if (nanos.getAsLong() - begun > time.toNanos()) {
                    throw new SlowException();
                }
                if (all.size() + count > most) {
                    throw new TooLargeException();
                }
                final int needed = Math.max(0, all.size() + count - free) - taken;
                if (needed > 0) {
                    if (!room.tryAcquire(needed)) {
                        throw new BusyException();
                    }
                    taken += needed;
                }
                all.write(buffer, 0, count);
            }
            bytes = all.toByteArray();
        }

        /** Gives the room back. */
        @Override
        public void close() {
            room.release(taken);
            taken = 0;
        }
    }

    /** A read that ends with the idle timeout of the connection has it as its cause. */
    private static int some(final InputStream input, final byte[] buffer) throws IOException, SlowException {
        try {
            return input.read(buffer);
        } catch (IOException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw (SlowException) new SlowException().initCause(e);
            }
            throw e;
        }
    }

    /**
     * Reads a body to its end.
     *
     * @throws TooLargeException as soon as it is longer than permitted
     * @throws BusyException when other bodies take the room that it needs, or all readers
     * @throws SlowException when it has taken longer than permitted, or its sender is silent for too long
     */
    Body read(final InputStream input) throws IOException, TooLargeException, BusyException, SlowException {
        if (!readers.tryAcquire()) {
            throw new BusyException();
        }
        final Body body = new Body();
        boolean complete = false;
        try {
            body.read(input);
            complete = true;
            return body;
        } finally {
            readers.release();
            if (!complete) {
                body.close();
            }
        }
    }
}
