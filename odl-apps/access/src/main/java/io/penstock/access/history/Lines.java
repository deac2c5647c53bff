// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Whole lines of a stream. One without an end is not read: it is being written. Not for several threads. */
final class Lines implements AutoCloseable {
    /** Bytes of a line; the longest that is written has some 70,000. */
    static final int MOST = 1 << 20;

    private static final int BUFFER = 1 << 16;

    private final InputStream stream;
    private final byte[] buffer = new byte[BUFFER];
    private int from;
    private int end;

    Lines(final InputStream stream) {
        this.stream = stream;
    }

    /** The next line; empty behind the last one. One that is too long has no text. */
    Optional<String> next() throws IOException {
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        boolean isTooLong = false;
        while (from < end || fill()) {
            int stop = from;
            while (stop < end && buffer[stop] != '\n') {
                stop++;
            }
            isTooLong |= line.size() + stop - from > MOST;
            if (!isTooLong) {
                line.write(buffer, from, stop - from);
            }
            from = stop;
            if (stop < end) {
                from++;
                return Optional.of(isTooLong ? "" : line.toString(StandardCharsets.UTF_8));
            }
        }
        return Optional.empty();
    }

    private boolean fill() throws IOException {
        from = 0;
        end = Math.max(0, stream.read(buffer));
        return end > 0;
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
