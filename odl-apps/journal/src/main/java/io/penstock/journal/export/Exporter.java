// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import java.util.List;
import java.util.function.Consumer;

/**
 * Sends records to one collector. Never blocks its callers; safe for all threads. A collector that is away costs its
 * records, which are counted, and nothing else.
 *
 * @param <T> the records
 */
interface Exporter<T> extends Consumer<List<T>>, AutoCloseable {
    /** Where it sends them. */
    Collector collector();

    /** Records that were handed to the network since the start. UDP may lose them there. */
    long sent();

    /** Records that were thrown away since the start. */
    long lost();

    @Override
    void close();
}
