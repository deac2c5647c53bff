// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.base.tasks.SerialTasks;

/** Tasks of a test. */
final class Tasks {
    private Tasks() {
        // Only functions.
    }

    /** Tasks that run on the thread that gives them; none runs later. */
    static SerialTasks inline() {
        return new SerialTasks("test", Runnable::run, (task, pause) -> { });
    }
}
