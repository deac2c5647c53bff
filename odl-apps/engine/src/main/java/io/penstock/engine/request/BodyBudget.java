// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/**
 * Reads bodies of requests with a bound on each and on all that are read at the same time. The first bytes of each body
 * need no room, so that large bodies keep no small one out. Safe for all threads.
 */
final class BodyBudget {
    private static final int STEP = 1 << 16;

    private final int most;
    private final int free;
    private final Semaphore room;

    /**
     * An unused budget.
     *
     * @param most bytes of a body
     * @param free bytes of each body that need no room
     * @param room bytes beyond those, of all bodies that are read and not yet closed
     */
    BodyBudget(final int most, final int free, final int room) {
        this.most = most;
        this.free = free;
        this.room = new Semaphore(room);
    }

    int most() {
        return most;
    }

    /** A body is longer than permitted. */
    static final class TooLargeException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** There is no room for a large body now. */
    static final class BusyException extends Exception {
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

        private void read(final InputStream input) throws IOException, TooLargeException, BusyException {
            final ByteArrayOutputStream all = new ByteArrayOutputStream();
            final byte[] buffer = new byte[STEP];
            for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
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

    /**
     * Reads a body to its end.
     *
     * @throws TooLargeException as soon as it is longer than permitted
     * @throws BusyException when other bodies take the room that it needs
     */
    Body read(final InputStream input) throws IOException, TooLargeException, BusyException {
        final Body body = new Body();
        boolean complete = false;
        try {
            body.read(input);
            complete = true;
            return body;
        } finally {
            if (!complete) {
                body.close();
            }
        }
    }
}
