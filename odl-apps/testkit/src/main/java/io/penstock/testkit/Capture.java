// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What passes a network device, by tcpdump. */
public final class Capture implements AutoCloseable {
    /** Of a frame that marks a moment, as tcpdump shows it: an EtherType for local experiments (IEEE 802). */
    private static final String MARK = "0x88b5";
    /** Sends such a frame to the device's own address, so that no switch that knows it forwards the frame. */
    private static final String SEND_MARK = """
        import socket, sys
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as link:
            link.bind((sys.argv[1], 0))
            source = bytes.fromhex(sys.argv[2].replace(":", ""))
            link.send(link.getsockname()[4] + source + b"\\x88\\xb5" + bytes(46))
        """;
    /** Other captures of a device see its marks as well, so each has a source address of its own. */
    private static final AtomicInteger MARKS = new AtomicInteger();

    private final Shell shell;
    private final Path file;
    private final String device;
    private final Process process;

    Capture(final Shell shell, final Path file, final String device, final String filter) {
        this.shell = shell;
        this.file = file;
        this.device = device;
        // Last, and by bytes: in front of the word vlan, or as "ether proto", it keeps that from finding tags that the
        // kernel has taken off.
        final String marked =
            (filter.isBlank() ? "greater 0" : "(" + filter + ")") + " or ether[12:2] == " + MARK;
        // Without times, whose digits would be taken for ports and addresses.
        process = shell.start(file, "tcpdump", "--immediate-mode", "-l", "-nn", "-t", "-e", "-i", device, marked);
        try {
            Await.until("tcpdump listens", () -> Shell.printed(file).contains("listening on"));
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    /** The frames that tcpdump has printed so far, a line each. Those that passed just now may be missing. */
    public List<String> frames() {
        return lines().stream().filter(line -> !line.contains(MARK)).toList();
    }

    /**
     * All frames that have passed until now, a line each: waits until tcpdump shows one that is sent for that. What has
     * to be empty is asked for by this, because a capture that is late, or does not work, is empty as well.
     */
    public List<String> all() {
        final int number = MARKS.incrementAndGet();
        final String source =
            "02:88:b5:%02x:%02x:%02x".formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
        shell.run("/usr/bin/python3", "-S", "-c", SEND_MARK, device, source);
        Await.until("the capture shows the mark", () -> lines().stream().anyMatch(line -> line.contains(source)));
        return frames();
    }

    /** Whether a frame, as tcpdump shows it, comes from or goes to a port of TCP or UDP over IP. */
    public static boolean isOfPort(final String frame, final int port) {
        return frame.contains("." + port + " > ") || frame.contains("." + port + ": ");
    }

    private List<String> lines() {
        // The last line may not be whole yet.
        final String text = Shell.printed(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().filter(line -> line.contains(" ethertype "))
            .toList();
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
