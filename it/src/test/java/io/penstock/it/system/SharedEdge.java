// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** The system of the whole run, and another one after a class that failed. Not for several threads. */
final class SharedEdge implements CloseableResource {
    /** A system that does not start is not tried for each of many classes, as each time takes minutes. */
    private static final int MOST_FAILED_STARTS = 2;

    private Optional<EdgeSystem> current = Optional.empty();
    private boolean isFailed;
    private int failedStarts;

    /** The one that runs; starts it if none does. */
    EdgeSystem system() {
        if (current.isEmpty()) {
            if (failedStarts == MOST_FAILED_STARTS) {
                throw new AssertionError("the system did not start for " + MOST_FAILED_STARTS + " classes before");
            }
            failedStarts++;
            current = Optional.of(EdgeSystem.start());
            failedStarts = 0;
        }
        return current.orElseThrow();
    }

    /** A test, or what is before or after tests, has failed. */
    void failed() {
        isFailed = true;
        current.ifPresent(EdgeSystem::distrust);
    }

    /**
     * Ends what a class serves, and looks whether it leaves all as it was.
     *
     * @throws AssertionError if it does not
     */
    void giveBack(final String user) {
        boolean isGood = false;
        try {
            current.ifPresent(system -> system.nodes().forEach(node -> node.network().stopServers()));
            if (!isFailed) {
                current.ifPresent(EdgeSystem::leaveClean);
                isGood = true;
            }
        } finally {
            isFailed = false;
            if (!isGood) {
                discard(user);
            }
        }
    }

    private void discard(final String user) {
        try {
            current.ifPresent(system -> system.controller().keepLog(user));
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        final Optional<EdgeSystem> closing = current;
        current = Optional.empty();
        closing.ifPresent(EdgeSystem::close);
    }
}
