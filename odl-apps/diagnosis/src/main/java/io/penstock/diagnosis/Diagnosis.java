// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.pipeline.net.Ipv4;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Answers questions why packets do not pass. */
public final class Diagnosis {
    /** In the order of a packet: the first fault is the answer. */
    private static final List<Check> CHECKS = List.of(new NodeCheck(), new DhcpCheck(), new HostCheck(),
        new RouteCheck(), new ListCheck(), new ChainCheck(), new TranslationCheck(), new PublishedCheck(),
        new BackboneCheck(), new LimitCheck(), new ServiceCheck());

    /** Of a packet from an external host: what it meets, and then its reply. */
    private static final List<Check> INBOUND = List.of(new InboundCheck(), new NodeCheck(), new HostCheck(),
        new ListCheck(), new ChainCheck(), new BackboneCheck(), new LimitCheck(), new ServiceCheck());

    private Diagnosis() {
        // Only functions.
    }

    /**
     * Answers a question.
     *
     * @throws IllegalArgumentException when a leaf of the question will not do; the message begins with its name
     */
    public static WhyReport of(final Facts facts, final WhyQuestion question) {
        final Subject subject = Subject.of(facts, question);
        final Walk walk = walk(subject);
        SwitchCheck.look(subject, walk);
        return walk.report();
    }

    /** The addresses that would have to be asked for by ARP before the answer is certain. */
    public static Set<Unheard> unheard(final Facts facts, final WhyQuestion question) {
        return walk(Subject.of(facts, question)).unheard();
    }

    /** The learned next hops of the backbone on which the answer depends: one may have died since it was learned. */
    public static Set<Ipv4> nextHops(final Facts facts, final WhyQuestion question) {
        return walk(Subject.of(facts, question)).nextHops();
    }

    /** The packet that a switch can be asked about, if the question is about one and its answer can be compared. */
    public static Optional<Probe> probe(final Facts facts, final WhyQuestion question) {
        final Subject subject = Subject.of(facts, question);
        return SwitchCheck.probe(subject, walk(subject));
    }

    private static Walk walk(final Subject subject) {
        final Walk walk = new Walk();
        if (subject.inbound().isEmpty()) {
            CHECKS.forEach(check -> check.look(subject, walk));
        } else if (subject.packet().isEmpty()) {
            new InboundCheck().look(subject, walk);
        } else {
            INBOUND.forEach(check -> check.look(subject, walk));
        }
        return walk;
    }
}
