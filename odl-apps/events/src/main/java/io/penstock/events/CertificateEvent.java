// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.time.Instant;

/**
 * A certificate ends soon, or was renewed after that was told.
 *
 * @param owner a member or a node, such as {@code node edge1}
 * @param end of the certificate
 */
public record CertificateEvent(Kind kind, String owner, Instant end) implements OperatorEvent {
    /** What is told. */
    public enum Kind {
        /** It ends within 30 days. */
        EARLY,
        /** It ends within 7 days, or has ended. */
        LATE,
        /** The next one is in use. */
        RENEWED
    }

    @Override
    public String notification() {
        return "penstock-state:certificate-event";
    }

    @Override
    public Severity severity() {
        return switch (kind) {
            case EARLY -> Severity.WARNING;
            case LATE -> Severity.ERROR;
            case RENEWED -> Severity.NOTICE;
        };
    }

    @Override
    public String text() {
        return owner + ": " + (kind == Kind.RENEWED ? "the certificate was renewed, until " + end
            : "the certificate ends at " + end + ", renew it by ./penstock pki");
    }

    @Override
    public Details details() {
        return Details.none().with("event", kind == Kind.RENEWED ? "renewed" : "ending").with("owner", owner)
            .with("end", end);
    }
}
