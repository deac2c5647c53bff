// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The far ends of a node's cables, where nobody speaks but the test: a switch sees the frames that are sent here and no
 * others, so what it does can be counted. Not for several threads.
 */
public final class Wire {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Sends each frame and waits for the one that comes of it, so that a slow machine sees the same order. */
    private static final String EXCHANGE = """
        import select, socket, sys
        links = {}
        for device in sys.argv[2].split(","):
            links[device] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            links[device].bind((device, 0))
        by_number = {link.fileno(): (device, link) for device, link in links.items()}
        poll = select.poll()
        for number in by_number:
            poll.register(number, select.POLLIN)
        def received():
            for number, _ in poll.poll(15000) or sys.exit("nothing comes of frame " + line):
                device, link = by_number[number]
                frame, address = link.recvfrom(2048)
                if address[2] != socket.PACKET_OUTGOING:
                    return device + " " + frame.hex()
        for line in open(sys.argv[1]).read().splitlines():
            device, frame = line.split()
            links[device].send(bytes.fromhex(frame))
            answer = None
            while answer is None:
                answer = received()
            print(answer)
        """;

    private final Namespace namespace;
    private final List<String> devices;
    private final Path file;

    /** A frame and the device it is sent from, or was received at. What is received has lost its tag. */
    public record Sent(String device, Frame frame) { }

    private Wire(final Namespace namespace, final List<String> devices, final Path file) {
        this.namespace = namespace;
        this.devices = List.copyOf(devices);
        this.file = file;
    }

    /** Lays cables to the devices of a node, which are made. The far ends have the same names. */
    public static Wire to(final TestRun run, final Namespace nodeSpace, final List<String> devices) {
        final Namespace far = run.namespace("far");
        devices.forEach(device -> nodeSpace.link(device, far, device));
        return new Wire(far, devices, run.directory().resolve("frames"));
    }

    /** Sends frames one after the other. One frame has to come of each, at whatever device; those are told. */
    public List<Sent> exchange(final List<Sent> frames) {
        try {
            Files.write(file, frames.stream().map(sent -> sent.device() + " " + sent.frame().digits()).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        final String output = namespace.shell().run(LIMIT, "/usr/bin/python3", "-c", EXCHANGE, file.toString(),
            String.join(",", devices));
        return output.lines().map(line -> line.split(" "))
            .map(words -> new Sent(words[0], new Frame(words[1]))).toList();
    }
}
