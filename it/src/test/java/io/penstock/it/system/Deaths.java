// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Shell;
import java.nio.file.Path;

/** kill -9 of a function's process whenever there is one. */
final class Deaths implements AutoCloseable {
    /** Prints whom it kills. The product knows whether an id in a file is still that of the same process. */
    private static final String PROGRAM = """
        import contextlib, os, signal, sys, time
        from penstock_base import processes
        while True:
            pid = processes.pid_of(sys.argv[1])
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                print(pid, flush=True)
            time.sleep(0.05)
        """;

    private final Path file;
    private final Process process;

    /** Begins. */
    Deaths(final EdgeNode node, final String function) {
        file = node.file("deaths-" + System.nanoTime());
        process = Shell.PLAIN.with("PYTHONPATH", ControllerUnderTest.ROOT.resolve("ovs-config").toString()).start(file,
            "/usr/bin/python3", "-B", "-c", PROGRAM,
            node.ovs().directory().resolve("functions/" + function + "/testpmd.process").toString());
    }

    /** How many there were so far. */
    long count() {
        return Shell.printed(file).lines().distinct().count();
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
