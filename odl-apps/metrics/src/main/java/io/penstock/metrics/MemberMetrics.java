// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Readiness;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A member of the controller itself, whether it has the engine or not. Safe for all threads. */
final class MemberMetrics implements MultiCollector {
    private static final double MILLIS = 1000;
    private static final String[] EXPORT = {"setting", "collector"};

    private final String version;
    private final Supplier<Member> member;
    private final Supplier<OptionalLong> mastership;

    /**
     * A member of a release.
     *
     * @param mastership epoch of its mastership; empty while another member has the engine
     */
    MemberMetrics(final String version, final Supplier<Member> member, final Supplier<OptionalLong> mastership) {
        this.mastership = requireNonNull(mastership);
        this.version = requireNonNull(version);
        this.member = requireNonNull(member);
    }

    @Override
    public MetricSnapshots collect() {
        final Member now = member.get();
        final OptionalLong held = mastership.get();
        final Family info = Family.gauge("penstock_controller_info", "1, with the release of this member.", "version")
            .add(1, version);
        final Family leader = Family.gauge("penstock_controller_leader",
            "Whether this member has the engine, which serves the nodes.").add(held.isPresent());
        final Family readiness = Family.gauge("penstock_controller_readiness",
            "1 for the level of readiness that this member has.", "level");
        for (final Readiness.Level level : Readiness.Level.values()) {
            readiness.add(level == now.readiness(), level.name().toLowerCase(Locale.ROOT));
        }
        final Family epoch = Family.gauge("penstock_mastership_epoch",
            "Epoch of the mastership of this member, while it has the engine. The next master has a greater one.");
        held.ifPresent(epoch::add);
        final Family shortage = Family.gauge("penstock_storage_shortage",
            "Whether the disk has too little room, so that changes are refused.").add(now.isShortOfRoom());
        final Family certificates = Family.gauge("penstock_certificate_end_timestamp_seconds",
            "When the certificate of a member or a connected node ends.", "owner");
        now.certificates().forEach((owner, end) -> certificates.add(end.toEpochMilli() / MILLIS, owner));
        final Family sent = Family.counter("penstock_export_records",
            "NAT records and events that were sent to a collector.", EXPORT);
        final Family lost = Family.counter("penstock_export_lost_records",
            "NAT records and events that were thrown away because a collector did not take them.", EXPORT);
        now.exports().forEach(each -> {
            sent.add(each.sent(), each.setting(), each.collector());
            lost.add(each.lost(), each.setting(), each.collector());
        });
        return new MetricSnapshots(Stream.concat(Stream.of(info, leader, readiness, epoch, shortage, certificates, sent,
            lost), new RaftFamilies().all()).map(Family::snapshot).toList());
    }
}
