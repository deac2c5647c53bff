// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.testkit.Await;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.Frame;
import io.penstock.testkit.OpenVrfs;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Packet;
import io.penstock.testkit.PlannedFlows;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A plan on a switch with simulated ports, whose clock stands still until a test moves it: so limits and timeouts are
 * exact. Frames come in by ports, pass the real datapath with its meters and connection tracking, and what leaves is
 * kept. All VRFs have sessions. The clock is that of the whole process (timewarp of lib/timeval.c, 3.1).
 */
final class StoppedNode implements AutoCloseable {
    static final String ACCESS = "acc0";
    static final String UPLINK = "up0";
    /** Of all hosts: they are told apart by address and VLAN. */
    static final Mac HOST_MAC = Mac.parse(Packet.HOST_MAC);
    static final Mac TRANSIT_MAC = Mac.parse(TracedNode.TRANSIT_MAC);
    static final Mac BACKBONE_MAC = Constants.backboneMac(1);
    static final String WORLD = TracedNode.WORLD;

    private static final String TRANSIT = "192.0.2.1";
    private static final List<String> PORTS = List.of(ACCESS, UPLINK);
    private static final Pattern RECEIVED = Pattern.compile("rx pkts=([0-9]+)");
    /** More at once do not fit into the queue of a simulated port (NETDEV_DUMMY_MAX_QUEUE, lib/netdev-dummy.c). */
    private static final int AT_ONCE = 50;
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    private final TestRun run = new TestRun();
    private final OvsSandbox ovs;
    private final Allocations allocations;
    private final PlannedFlows flows;
    /** How much of the file of a port has been read, in bytes. */
    private final Map<String, Long> seen = new HashMap<>();

    StoppedNode(final Snapshot snapshot) {
        this(snapshot, UnaryOperator.identity());
    }

    /** One with what has been allocated beside, such as blocks of ports. */
    StoppedNode(final Snapshot snapshot, final UnaryOperator<Allocations> given) {
        this(snapshot, given, OvsSandbox::dummy);
    }

    private StoppedNode(final Snapshot snapshot, final UnaryOperator<Allocations> given,
            final Function<TestRun, OvsSandbox> start) {
        try {
            allocations = given.apply(Allocator.allocate(snapshot, Allocations.none()));
            final NodePlan plan = Planner.plan(snapshot, allocations, Set.of(), Networks.NODE);
            ovs = start.apply(run);
            final FlowLoader loader = FlowLoader.create(ovs, plan.bridge());
            loader.load(plan);
            loader.setTimeouts(plan.bridge(), plan.orders().keySet());
            OpenVrfs.open(ovs, plan.vrfs());
            flows = new PlannedFlows(ovs, plan);
            // As prepare_bridge in ovs.py does.
            ovs.appctl("dpctl/ct-disable-tcp-seq-chk");
            List.of("v4", "v6").forEach(family -> ovs.appctl("dpctl/ipf-set-min-frag", family, "400"));
            ovs.appctl("dpctl/ipf-set-max-nfrags", "5000");
            PORTS.forEach(this::keep);
            ovs.appctl("time/stop");
        } catch (AssertionError e) {
            run.close();
            throw e;
        }
    }

    /** One with the machine's own Open vSwitch, which releases fragments with packets of others. */
    static StoppedNode thatReleases(final Snapshot snapshot) {
        return new StoppedNode(snapshot, UnaryOperator.identity(), OvsSandbox::dummyOfMachine);
    }

    OvsSandbox ovs() {
        return ovs;
    }

    /** The way of a host's packets to the world. */
    static Frame.Way out(final String source) {
        return new Frame.Way(HOST_MAC, Constants.GATEWAY_MAC, source, WORLD);
    }

    /** The way of packets of the world to a public address. */
    static Frame.Way in(final String destination) {
        return new Frame.Way(TRANSIT_MAC, BACKBONE_MAC, WORLD, destination);
    }

    /** Has the switch learn the transit router and a host, which asks for its gateway: it forgets both in time. */
    void learn(final String address, final int vlan) {
        send(UPLINK, Frame.arpRequest(TRANSIT_MAC, TRANSIT, Networks.BACKBONE_ADDRESS));
        send(ACCESS, Frame.arpRequest(HOST_MAC, address, NatPair.GATEWAY).tagged(vlan));
        PORTS.forEach(this::sent);
    }

    /** Lets frames come in one after the other; when this returns the switch is done with them. */
    void send(final String port, final List<Frame> frames) {
        for (int from = 0; from < frames.size(); from += AT_ONCE) {
            final List<Frame> some = frames.subList(from, Math.min(frames.size(), from + AT_ONCE));
            final long before = received();
            ovs.appctl(Stream.concat(Stream.of("netdev-dummy/receive", port), some.stream().map(Frame::digits))
                .toArray(String[]::new));
            Await.until("the switch has taken them", this::received, count -> count == before + some.size());
        }
    }

    void send(final String port, final Frame frame) {
        send(port, List.of(frame));
    }

    private long received() {
        // Not by the counts of the polling thread: Open vSwitch 4.0 shows none while its clock stands still.
        return RECEIVED.matcher(ovs.ofctl("dump-ports", Constants.BRIDGE)).results()
            .mapToLong(count -> Long.parseLong(count.group(1))).sum();
    }

    /** Moves the clock, in steps that let all threads of the switch do what is due. */
    void warp(final Duration time) {
        final long milliseconds = time.toMillis();
        ovs.appctl("time/warp", Long.toString(milliseconds), Long.toString(Math.max(1, milliseconds / 10)));
    }

    /** Waits until what the switch caches agrees with its flows, and these with what passed. */
    void settle() {
        ovs.appctl("revalidator/wait");
    }

    /** Has frames kept that leave by another port, from now on. */
    void keep(final String port) {
        ovs.vsctl("set", "Interface", port, "options:tx_pcap=" + file(port));
    }

    /** The frames that have left by a port since this was asked last, in hexadecimal digits. */
    List<String> sent(final String port) {
        try (FileChannel file = FileChannel.open(file(port))) {
            final long before = requireNonNull(seen.getOrDefault(port, (long) FILE_HEADER));
            final ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, file.size() - before));
            file.read(bytes, before);
            final List<String> frames = frames(bytes.flip().order(ByteOrder.nativeOrder()));
            seen.put(port, before + bytes.position());
            return frames;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(final String port) {
        return ovs.directory().resolve(port + ".pcap");
    }

    /** Reads frames as libpcap writes them, with a header before each, and leaves one that is not whole. */
    private static List<String> frames(final ByteBuffer bytes) {
        final List<String> frames = new ArrayList<>();
        while (bytes.remaining() >= RECORD_HEADER) {
            final int at = bytes.position() + RECORD_HEADER;
            final int end = at + bytes.getInt(bytes.position() + 2 * Integer.BYTES);
            if (end > bytes.limit()) {
                break;
            }
            final byte[] frame = new byte[end - at];
            bytes.get(at, frame);
            frames.add(HexFormat.of().formatHex(frame));
            bytes.position(end);
        }
        return frames;
    }

    /** An address as it is in a frame. */
    static String digits(final String address) {
        final StringBuilder digits = new StringBuilder();
        for (final String part : address.split("\\.")) {
            digits.append("%02x".formatted(Integer.parseInt(part)));
        }
        return digits.toString();
    }

    /** Packets the flows of this label have met. */
    long packets(final Table table, final String label) {
        return flows.packets(table, label);
    }

    /** The flows of a table, as the switch shows them. */
    List<String> flows(final Table table) {
        return ovs.ofctl("--no-names", "dump-flows", Constants.BRIDGE, "table=" + table.number()).lines()
            .filter(line -> line.contains("actions=")).toList();
    }

    /** Connections that the switch tracks, a line each, that have all of these words. */
    List<String> connections(final String... words) {
        return ovs.appctl("dpctl/dump-conntrack", "-s").lines()
            .filter(line -> List.of(words).stream().allMatch(line::contains)).toList();
    }

    /** How many fragments the switch keeps until the rest comes. */
    int pieces() {
        return Integer.parseInt(ovs.appctl("dpctl/ipf-get-status").replaceAll("(?s).*num frag: ([0-9]+).*", "$1"));
    }

    /** Packets that a tenant's meter has let pass. */
    long passed(final String tenant, final TenantMeter meter) {
        final int id = meter.number(new VrfId(requireNonNull(allocations.tenants().get(tenant)).id()));
        final Matcher counts = Pattern.compile("packet_in_count:(\\d+)[^#]*?0: packet_count:(\\d+)")
            .matcher(ovs.ofctl("meter-stats", Constants.BRIDGE, "meter=" + id));
        if (!counts.find()) {
            throw new AssertionError("no counts of " + meter);
        }
        return Long.parseLong(counts.group(1)) - Long.parseLong(counts.group(2));
    }

    @Override
    public void close() {
        run.close();
    }
}
