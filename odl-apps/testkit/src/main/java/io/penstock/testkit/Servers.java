// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/** Processes that serve on the hosts of a network. Not for several threads. */
final class Servers implements TestRun.Closing {
    private final Deque<Process> processes = new ArrayDeque<>();

    void add(final Process process) {
        processes.push(process);
    }

    /** Ends all, and waits for that. More may be added afterwards. */
    @Override
    public void close() {
        while (!processes.isEmpty()) {
            Shell.stop(processes.pop());
        }
    }
}
