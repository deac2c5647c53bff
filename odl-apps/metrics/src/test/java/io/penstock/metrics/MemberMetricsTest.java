// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Readiness;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MemberMetricsTest {
    private static List<String> samples(final MemberMetrics metrics, final String name) {
        return metrics.collect().stream().filter(each -> each.getMetadata().getName().equals(name))
            .map(CounterSnapshot.class::cast).flatMap(each -> each.getDataPoints().stream())
            .map(each -> each.getLabels() + " " + each.getValue()).toList();
    }

    @Test
    void eachCollectorHasItsRecords() {
        final Member member = new Member(Readiness.Level.ABSENT, false, Map.of(), List.of(
            new Member.Export("nat-ipfix", "tcp:192.0.2.1:4739", 7, 2),
            new Member.Export("nat-syslog", "udp:192.0.2.1:514", 9, 0)));
        final MemberMetrics metrics = new MemberMetrics("1", () -> member, OptionalLong::empty);
        assertThat(samples(metrics, "penstock_export_records")).containsExactlyInAnyOrder(
            "{collector=\"tcp:192.0.2.1:4739\",setting=\"nat-ipfix\"} 7.0",
            "{collector=\"udp:192.0.2.1:514\",setting=\"nat-syslog\"} 9.0");
        assertThat(samples(metrics, "penstock_export_lost_records")).containsExactlyInAnyOrder(
            "{collector=\"tcp:192.0.2.1:4739\",setting=\"nat-ipfix\"} 2.0",
            "{collector=\"udp:192.0.2.1:514\",setting=\"nat-syslog\"} 0.0");
    }
}
