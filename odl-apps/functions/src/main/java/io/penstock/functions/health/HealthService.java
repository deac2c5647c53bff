// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.operations.FunctionStatus.ProbeStatus;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.stage.NshHop;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends probes through the instances of functions that want it, and says which of them fail. Safe for all threads;
 * never blocks.
 */
public final class HealthService implements ProbeResults, AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(25);
    private static final Logger LOG = LoggerFactory.getLogger(HealthService.class);
    private static final long LATE_NANOS = 4 * TICK.toNanos();
    private static final int SEQUENCES = 1 << 16;

    private final FrameOutlet outlet;
    private final Supplier<Desired> desired;
    private final Nodes nodes;
    private final Ticker ticker;
    private final long nonce;
    private final Map<Key, InstanceHealth> known = new HashMap<>();
    private final TaskThread thread = new TaskThread("penstock-health");
    private long lastTick;
    private boolean ticked;
    private int sequence;

    /** What the nodes say of themselves, and are told. */
    public interface Nodes {
        /** Whether the switch of a node is connected. */
        boolean isOnline(String node);

        /** Whether all these ports are up. */
        boolean isUp(String node, List<String> ports);

        /** Whether packets may have a network service header on a node. */
        boolean carriesServiceHeader(String node);

        /** An instance of the node is healthy, or is not, and was not like this before. */
        void changed(String node);
    }

    private record Key(String node, String instance) { }

    /**
     * Knows nothing yet.
     *
     * @param nonce what no function can guess
     */
    public HealthService(final FrameOutlet outlet, final Supplier<Desired> desired, final Nodes nodes,
            final Ticker ticker, final long nonce) {
        this.outlet = requireNonNull(outlet);
        this.desired = requireNonNull(desired);
        this.nodes = requireNonNull(nodes);
        this.ticker = requireNonNull(ticker);
        this.nonce = nonce;
    }

    /** Begins to send. */
    public void start() {
        thread.every(TICK, TICK, this::tick);
    }

    @Override
    public void close() {
        thread.close();
    }

    @Override
    public boolean isHealthy(final String node, final String instance) {
        if (!isCarried(node, instance)) {
            return false;
        }
        synchronized (this) {
            final InstanceHealth health = known.get(new Key(node, instance));
            return health == null || health.isHealthy();
        }
    }

    /** Whether the switch of the node can give an instance the packets as it wants them. Safe for all threads. */
    public boolean isCarried(final String node, final String instance) {
        return nodes.carriesServiceHeader(node) || desired.get().snapshot().functionsOn(node).stream()
            .filter(NetworkFunction::nsh).flatMap(function -> function.instances().stream())
            .noneMatch(each -> each.name().equals(instance));
    }

    /** What the last probes through an instance told; nothing of one that nobody probes. */
    public synchronized Optional<ProbeStatus> statistics(final String node, final String instance) {
        return Optional.ofNullable(known.get(new Key(node, instance)))
            .map(health -> health.statistics(ticker.read()));
    }

    @Override
    public synchronized Probed total(final String node, final String instance) {
        final InstanceHealth health = known.get(new Key(node, instance));
        return health == null ? Probed.NOTHING : health.total();
    }

    /** Sends what is due, and looks who has failed or is back. */
    void tick() {
        final Set<String> changed = new HashSet<>();
        synchronized (this) {
            final long now = ticker.read();
            final long late = ticked ? now - lastTick : 0;
            ticked = true;
            lastTick = now;
            if (late > LATE_NANOS) {
                known.values().forEach(health -> health.forgive(late));
            }
            final Desired state = desired.get();
            final Set<Key> here = new HashSet<>();
            for (final NetworkFunction function : state.snapshot().functions().values()) {
                function.health().ifPresent(check -> function.instances().forEach(instance -> {
                    final Key key = new Key(function.node(), instance.name());
                    here.add(key);
                    InstanceHealth health = known.get(key);
                    if (health == null || !health.check().equals(check)) {
                        if (isFailed(health)) {
                            // By the other check. It is taken for healthy until this one says something else.
                            changed.add(function.node());
                        }
                        health = new InstanceHealth(check);
                        known.put(key, health);
                    }
                    if (look(state, function, instance, health, now)) {
                        changed.add(function.node());
                        LOG.warn("Node {}: instance {} {}", key.node(), key.instance(),
                            health.isHealthy() ? "is healthy again" : "has failed");
                    }
                }));
            }
            known.entrySet().removeIf(entry -> {
                final boolean gone = !here.contains(entry.getKey());
                if (gone && isFailed(entry.getValue())) {
                    changed.add(entry.getKey().node());
                }
                return gone;
            });
        }
        changed.forEach(nodes::changed);
    }

    private static boolean isFailed(final @Nullable InstanceHealth health) {
        return health != null && !health.isHealthy();
    }

    private boolean look(final Desired state, final NetworkFunction function, final Instance instance,
            final InstanceHealth health, final long now) {
        if (!nodes.isOnline(function.node())) {
            // Nobody knows. What it was before it stays.
            health.forgive(TICK.toNanos());
            return false;
        }
        if (!nodes.isUp(function.node(), function.ports(instance))) {
            return health.fail();
        }
        if (health.isDue(now)) {
            sequence = (sequence + 1) % SEQUENCES;
            final int port = state.allocations().port(function.node(), instance.insidePort());
            health.sent(sequence, now);
            send(state, function, port, new ProbeFrame(false, port, sequence, nonce));
        }
        return health.look(now);
    }

    private void send(final Desired state, final NetworkFunction function, final int port, final ProbeFrame frame) {
        final SwitchId id = new SwitchId(state.allocations().datapathId(function.node()));
        outlet.send(new Place(id, port, function.routed().isPresent() ? 0 : Constants.PROBE_VLAN),
            frame.bytes(function.routed()).toArray(),
            function.nsh() ? NshHop.wrapProbe(frame.reply()) : List.of());
    }

    /** Takes what came through. */
    public Fate onPacketIn(final PacketIn packet) {
        final ProbeFrame frame = ProbeFrame.parse(Bytes.of(packet.frame())).orElse(null);
        if (frame == null) {
            return Fate.MALFORMED;
        }
        if (frame.nonce() != nonce) {
            return Fate.IGNORED;
        }
        take(packet, frame);
        return Fate.TAKEN;
    }

    private void take(final PacketIn packet, final ProbeFrame frame) {
        final Desired state = desired.get();
        state.node(packet.source().datapathId()).ifPresent(node -> {
            final Map<String, Integer> ports =
                state.allocations().ports().getOrDefault(node, Collections.emptySortedMap());
            state.snapshot().functionsOn(node).forEach(function -> function.instances().stream()
                .filter(instance -> Integer.valueOf(frame.port()).equals(ports.get(instance.insidePort())))
                // It counts only where it has to come out.
                .filter(instance -> Integer.valueOf(packet.inPort()).equals(
                    ports.get(frame.reply() ? instance.insidePort() : instance.outsidePort())))
                .forEach(instance -> {
                    if (frame.reply()) {
                        answered(new Key(node, instance.name()), frame.sequence());
                    } else {
                        send(state, function, packet.inPort(), frame.answer());
                    }
                }));
        });
    }

    private synchronized void answered(final Key key, final int number) {
        final InstanceHealth health = known.get(key);
        if (health != null) {
            health.answered(number, ticker.read());
        }
    }
}
