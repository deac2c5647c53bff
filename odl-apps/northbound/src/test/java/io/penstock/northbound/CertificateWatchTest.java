// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.base.tls.PeerCertificate;
import io.penstock.events.CertificateEvent;
import io.penstock.events.OperatorEvent;
import io.penstock.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each threshold of each certificate is told once. */
class CertificateWatchTest {
    private static final Instant END = Instant.parse("2027-11-26T12:00:00Z");
    private static final PeerCertificate NODE = new PeerCertificate(PeerCertificate.Kind.NODE, "edge1", END);
    private static final PeerCertificate NEXT =
        new PeerCertificate(PeerCertificate.Kind.NODE, "edge1", END.plus(Duration.ofDays(300)));

    private final List<OperatorEvent> told = new ArrayList<>();
    private final ManualClock clock = new ManualClock(END.minus(Duration.ofDays(31)));
    private List<PeerCertificate> certificates = List.of(NODE);
    private final CertificateWatch watch = new CertificateWatch(() -> certificates, told::add, clock);

    private void passDays(final int days) {
        clock.pass(Duration.ofDays(days).toSeconds());
        watch.look();
        watch.look();
    }

    @Test
    void aCertificateThatEndsIsToldTwiceAndItsRenewalOnce() {
        passDays(0);
        assertThat(told).isEmpty();
        passDays(2);
        final OperatorEvent early = new CertificateEvent(CertificateEvent.Kind.EARLY, "node edge1", END);
        assertThat(told).containsExactly(early);
        assertThat(watch.reason()).isEmpty();
        passDays(23);
        final OperatorEvent late = new CertificateEvent(CertificateEvent.Kind.LATE, "node edge1", END);
        assertThat(told).containsExactly(early, late);
        assertThat(watch.reason()).hasValueSatisfying(text ->
            assertThat(text).contains("node edge1 ends at 2027-11-26T12:00:00Z: ./penstock pki renew"));
        passDays(30);
        assertThat(told).hasSize(2);
        certificates = List.of(NEXT);
        passDays(0);
        assertThat(told).containsExactly(early, late,
            new CertificateEvent(CertificateEvent.Kind.RENEWED, "node edge1", NEXT.end()));
        assertThat(watch.reason()).isEmpty();
    }

    @Test
    void oneThatIsRenewedInTimeIsNotTold() {
        passDays(0);
        certificates = List.of(NEXT);
        passDays(40);
        assertThat(told).isEmpty();
    }
}
