// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The far ends of a node's cables, where nobody speaks but the test: a switch sees the frames that are sent here and no
 * others, so what it does can be counted. Not for several threads.
 */
public final class Wire {
    private static final Duration LIMIT = Duration.ofMinutes(4);
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
            for number, _ in poll.poll(60000) or sys.exit("nothing comes of frame " + line):
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

    /**
     * Sends the frames of each batch at once, and reads until the frame has come that ends in what the batch tells.
     * Prints what came after which batch, with the tag that the kernel has taken off put back.
     */
    private static final String BATCHES = """
        import select, socket, struct, sys
        SOL_PACKET, AUXDATA, RCVBUFFORCE = 263, 8, 33
        links = {}
        for device in sys.argv[2].split(","):
            link = links[device] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            link.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, 1 << 25)
            link.setsockopt(SOL_PACKET, AUXDATA, 1)
            link.bind((device, 0))
        by_number = {link.fileno(): (device, link) for device, link in links.items()}
        poll = select.poll()
        for number in by_number:
            poll.register(number, select.POLLIN)
        def receive(batch, end):
            for number, _ in poll.poll(60000) or sys.exit(f"the last frame of batch {batch} does not arrive"):
                device, link = by_number[number]
                frame, extra, _, address = link.recvmsg(65536, 64)
                if address[2] == socket.PACKET_OUTGOING:
                    continue
                for _, _, data in extra:
                    status, _, _, _, _, tci, kind = struct.unpack("IIIHHHH", data[:20])
                    if status & 0x10:
                        frame = frame[:12] + struct.pack("!HH", kind if status & 0x40 else 0x8100, tci) + frame[12:]
                print(batch, device, frame.hex())
                if end in frame:
                    return True
            return False
        batch = 0
        for line in open(sys.argv[1]).read().splitlines():
            device, digits = line.split()
            if device != "=":
                links[device].send(bytes.fromhex(digits))
                continue
            while not receive(batch, bytes.fromhex(digits)):
                pass
            batch += 1
        """;

    private final Namespace namespace;
    private final List<String> devices;
    private final Path file;

    /** A frame and the device it is sent from, or was received at. Only what came of batches has its tag. */
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

    /**
     * Frames that are sent together.
     *
     * @param end bytes, in hexadecimal digits, of a frame that has to come of the last of them, and of no other
     */
    public record Batch(List<Sent> frames, String end) { }

    /**
     * Sends batches one after the other, and tells what came of each. A switch handles the frames of one device in
     * their order: when what has to come of the last frame has come, all the others of its device were handled.
     */
    public List<List<Sent>> exchangeBatches(final List<Batch> batches) {
        write(batches.stream().flatMap(batch -> Stream.concat(batch.frames().stream().map(Wire::line),
            Stream.of("= " + batch.end()))).toList());
        final List<List<Sent>> received = new ArrayList<>();
        batches.forEach(batch -> received.add(new ArrayList<>()));
        run(BATCHES).lines().map(line -> line.split(" ")).forEach(words ->
            received.get(Integer.parseInt(words[0])).add(new Sent(words[1], new Frame(words[2]))));
        return received;
    }

    /** Sends frames one after the other. One frame has to come of each, at whatever device; those are told. */
    public List<Sent> exchange(final List<Sent> frames) {
        write(frames.stream().map(Wire::line).toList());
        return run(EXCHANGE).lines().map(line -> line.split(" "))
            .map(words -> new Sent(words[0], new Frame(words[1]))).toList();
    }

    private static String line(final Sent sent) {
        return sent.device() + " " + sent.frame().digits();
    }

    private void write(final List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String run(final String program) {
        return namespace.shell().run(LIMIT, "/usr/bin/python3", "-S", "-c", program, file.toString(),
            String.join(",", devices));
    }
}
