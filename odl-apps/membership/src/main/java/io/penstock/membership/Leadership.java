// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import java.util.function.Consumer;

/** Which member leads the shard of the configuration. A controller alone leads. Safe for all threads. */
public interface Leadership {
    /** Ends what was begun. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Name of this member, such as {@code member-1}. */
    String member();

    /**
     * Tells where the leadership is, now and after each change.
     *
     * @param listener called one at a time and in order; must not block
     */
    Registration follow(Consumer<Lead> listener);

    /**
     * Has another member lead, which gets all data before, and goes on to lead where that does not succeed. Returns at
     * once. For the member that leads.
     */
    void handOver(String successor);
}
