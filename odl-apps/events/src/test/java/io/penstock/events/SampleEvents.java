// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import io.penstock.events.PoolEvent.Kind;
import io.penstock.events.PoolEvent.OfPool;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.net.Prefix;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** An event of each kind. */
public final class SampleEvents {
    /** When they happen. */
    public static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");
    /** Stands still. */
    public static final Clock CLOCK = Clock.fixed(NOON, ZoneOffset.UTC);
    /** A node is lost. */
    public static final OperatorEvent NODE_LOST =
        new StatusEvent(StatusEvent.Kind.NODE, "edge1", "connected", "lost", "", NOON);
    /** Not a value of the model. */
    public static final OperatorEvent REPAIR_OF_LESS_THAN_NOTHING = new RepairEvent("edge1", -1, 0, 0, "acl", "");
    /** One of each kind, and of each that differs. */
    public static final List<OperatorEvent> ALL = List.of(NODE_LOST,
        new StatusEvent(StatusEvent.Kind.INSTANCE, "fw/fw1", "down", "up", "", NOON),
        new StatusEvent(StatusEvent.Kind.TENANT, "red", "active", "stopped", "function fw is down", NOON),
        new PoolEvent(Kind.HIGH_THRESHOLD, new OfPool("public"), Optional.empty(), 6, 8),
        new PoolEvent(Kind.DRAINED, new OfPortBlock("red", Prefix.parse("10.0.0.0/24")),
            Optional.of(Prefix.parse("198.51.100.0/31")), 0, 2),
        new CanaryEvent("fw", new CanaryResult("2.0", CanaryResult.Verdict.BACK, "it is slow", 0, 60,
            new CanaryResult.Side(List.of("fw1"), 10, 10, new CanaryResult.Probes(10, 0, 100, 200)),
            new CanaryResult.Side(List.of("fw2"), 10, 10, new CanaryResult.Probes(10, 0, 900, 999)))),
        new PoolEvent(Kind.EXHAUSTED, new OfPortBlock("red", Prefix.parse("10.0.0.0/24")), Optional.empty(), 4, 4),
        new PoolEvent(Kind.AVAILABLE, new OfPool("public"), Optional.empty(), 3, 4),
        new DhcpPoolEvent("red", "10.0.0.0/24", true), new DhcpPoolEvent("red", "10.0.0.0/24", false),
        new ResolverEvent("edge1", "red", Optional.of("it ended")), new ResolverEvent("edge1", "red", Optional.empty()),
        new ConfigurationEvent(Optional.of("admin"), 3, List.of("PUT penstock:network/tenant=red", "DELETE /b"),
            List.of("red", "blue")),
        new ConfigurationEvent(Optional.empty(), 1, List.of("DELETE penstock:network/pool=west"),
            List.of()),
        new RepairEvent("edge1", 1, 2, 3, "acl", "priority=5"), new QuotaEvent(true, "red", "edge1", "new-sessions"),
        new QuotaEvent(false, "red", "edge1", "sessions"), new SpoofingEvent(true, "red", "edge1"),
        new SpoofingEvent(false, "red", "edge1"),
        new CertificateEvent(CertificateEvent.Kind.EARLY, "node edge1", NOON),
        new CertificateEvent(CertificateEvent.Kind.LATE, "member ctl1", NOON),
        new CertificateEvent(CertificateEvent.Kind.RENEWED, "node edge1", NOON));

    private SampleEvents() {
        // Only samples.
    }
}
