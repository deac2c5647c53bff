// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

/**
 * Larger buffers of the sockets by which a switch receives packets from network devices. They hold some 250 packets;
 * those that come while others have the core of the switch are lost, which says nothing about it.
 */
public final class WideSockets {
    /** Prints to how many such sockets of a process it has given a larger buffer. */
    private static final String WIDEN = """
        import contextlib, ctypes, os, socket, sys
        syscall = ctypes.CDLL(None).syscall
        process, wide = os.pidfd_open(int(sys.argv[1])), 0
        for number in map(int, os.listdir(f"/proc/{sys.argv[1]}/fd")):
            with contextlib.suppress(OSError):  # Closed meanwhile, or no socket.
                if (copy := syscall(438, process, number, 0)) >= 0:  # pidfd_getfd
                    with socket.socket(fileno=copy) as link:
                        if link.family == socket.AF_PACKET:
                            link.setsockopt(socket.SOL_SOCKET, 33, 1 << 22)  # SO_RCVBUFFORCE
                            wide += 1
        print(wide)
        """;

    private WideSockets() {
        // Only a function.
    }

    /** Gives all that a switch has now four megabytes. A port that is made later has a usual one. */
    public static void of(final ProcessHandle process) {
        final String wide = Shell.PLAIN.run("/usr/bin/python3", "-c", WIDEN, Long.toString(process.pid())).strip();
        if (wide.equals("0")) {
            throw new IllegalStateException("process " + process.pid() + " receives from no network device");
        }
    }
}
