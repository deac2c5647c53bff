// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.time.Duration;

/** Is told how changes of the configuration fare, by threads of the datastore. Must not block. */
public interface CommitObserver {
    /** Takes no notice. */
    CommitObserver NONE = new CommitObserver() {
        @Override
        public void committed(final Duration taken) {
            // Nothing is kept.
        }

        @Override
        public void refused() {
            // Nothing is kept.
        }
    };

    /**
     * A change was stored.
     *
     * @param taken from the beginning of its check until it was committed
     */
    void committed(Duration taken);

    /** A change was refused. */
    void refused();
}
