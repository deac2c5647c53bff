// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tls.PeerCertificate;
import io.penstock.events.CertificateEvent;
import io.penstock.events.EventSink;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tells of certificates that end: this member's, and those that nodes have shown. Looks by the wall clock, as TLS does.
 * Not for several threads but for {@link #reason}.
 */
final class CertificateWatch {
    /** The same as WARN_DAYS in karaf/penstock_pki/inspection.py. */
    private static final Duration EARLY = Duration.ofDays(30);
    private static final Duration LATE = Duration.ofDays(7);

    private final Supplier<List<PeerCertificate>> certificates;
    private final EventSink events;
    private final Clock clock;
    /** What was told last of each that ends soon, by owner. */
    private final Map<String, CertificateEvent> told = new HashMap<>();
    private volatile Optional<String> reason = Optional.empty();

    CertificateWatch(final Supplier<List<PeerCertificate>> certificates, final EventSink events, final Clock clock) {
        this.certificates = requireNonNull(certificates);
        this.events = requireNonNull(events);
        this.clock = requireNonNull(clock);
    }

    /** Why certificates need an operator within a week, for the readiness; empty if none does. Safe for all threads. */
    Optional<String> reason() {
        return reason;
    }

    /** Looks, and tells what is new. */
    void look() {
        final Instant now = clock.instant();
        final List<String> late = new ArrayList<>();
        for (final PeerCertificate each : certificates.get()) {
            final Duration left = Duration.between(now, each.end());
            final CertificateEvent.Kind kind = left.compareTo(LATE) < 0 ? CertificateEvent.Kind.LATE
                : left.compareTo(EARLY) < 0 ? CertificateEvent.Kind.EARLY : CertificateEvent.Kind.RENEWED;
            if (kind == CertificateEvent.Kind.LATE) {
                late.add("the certificate of " + each + " ends at " + each.end() + ": ./penstock pki renew");
            }
            tell(new CertificateEvent(kind, each.toString(), each.end()));
        }
        reason = late.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", late));
    }

    private void tell(final CertificateEvent event) {
        final CertificateEvent before = told.get(event.owner());
        if (event.equals(before) || before == null && event.kind() == CertificateEvent.Kind.RENEWED) {
            return;
        }
        if (event.kind() == CertificateEvent.Kind.RENEWED) {
            told.remove(event.owner());
        } else {
            told.put(event.owner(), event);
        }
        events.tell(event);
    }
}
