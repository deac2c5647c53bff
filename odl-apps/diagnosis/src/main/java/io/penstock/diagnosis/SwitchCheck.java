// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static java.util.Objects.requireNonNull;

import io.penstock.diagnosis.Facts.Traced;
import io.penstock.operations.WhyReport.Verdict;
import io.penstock.operations.WhyReport.WhyStep;
import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether the switch does with the packet what the other checks found. They follow the configuration, and the switch
 * its flows: where the two differ one of them is wrong.
 */
final class SwitchCheck {
    /** Faults for which the switch drops the packet itself; others are of links, hosts, replies or rates. */
    private static final Map<String, Cause> DROPS = Stream.of(Cause.FOREIGN_SOURCE, Cause.SOURCE_IS_GATEWAY,
        Cause.NO_LEASE, Cause.LEASE_ENDED, Cause.NO_WAY_OUT, Cause.LIST_DENIES, Cause.FUNCTION_DOWN,
        Cause.NO_PUBLIC_ADDRESS, Cause.NO_BACKBONE_ROUTE, Cause.BACKBONE_LIST_DENIES)
        .collect(Collectors.toMap(Cause::text, cause -> cause));

    private SwitchCheck() {
        // Only functions.
    }

    /** The packet about which the switch can be asked; nothing if its answer could not be compared. */
    static Optional<Probe> probe(final Subject subject, final Walk walk) {
        final Optional<FiveTuple> packet = subject.packet().filter(each -> subject.inbound().isEmpty()
            && RouteCheck.leaves(subject, each) && !isPunted(subject, each));
        final List<Attachment> places = subject.attachments();
        final Optional<Mac> mac = subject.sender().flatMap(Subject.Sender::mac);
        return packet.isEmpty() || mac.isEmpty() || places.size() != 1 || !isCertain(walk) ? Optional.empty()
            : Optional.of(new Probe(places.get(0), mac.orElseThrow(), packet.orElseThrow()));
    }

    /** Adds what the switch says. */
    static void look(final Subject subject, final Walk walk) {
        final Optional<WhyStep> drop = drop(walk);
        subject.facts().trace().filter(traced -> isCertain(walk)).ifPresent(traced -> {
            if (traced.forwarded() == drop.isPresent()) {
                disagrees(subject, traced, drop, walk);
            } else if (drop.isPresent()) {
                walk.fails(Stage.SWITCH, requireNonNull(DROPS.get(drop.orElseThrow().cause())),
                    "The trace of the switch agrees: the packet " + traced.where() + ".", drop.orElseThrow().remedy());
            } else {
                walk.passes(Stage.SWITCH, "The trace of the switch agrees: the packet " + traced.where() + ".");
            }
        });
    }

    private static void disagrees(final Subject subject, final Traced traced, final Optional<WhyStep> drop,
            final Walk walk) {
        walk.disagrees("The controller finds that packets " + Subject.text(subject.packet().orElseThrow()) + " "
            + drop.map(step -> "do not pass (" + step.cause() + ")").orElse("pass")
            + ", but by the trace of the switch the packet " + traced.where() + ": report this as a defect.",
            "Report this as a defect, with this answer and that of verify; resync replaces flows that differ.");
    }

    /** Whether the other checks tell for certain what the switch does with the packet; it does not look at names. */
    private static boolean isCertain(final Walk walk) {
        return drop(walk).isPresent() || walk.steps().stream().filter(step -> !step.stage().equals(Stage.NAMES.text()))
            .noneMatch(step -> step.verdict() == Verdict.FAILS || step.verdict() == Verdict.UNKNOWN);
    }

    private static Optional<WhyStep> drop(final Walk walk) {
        return walk.steps().stream().filter(step -> step.verdict() == Verdict.FAILS && DROPS.containsKey(step.cause()))
            .findFirst();
    }

    /** The first packet of a subscriber goes to the controller; one to a public address may come back to the node. */
    private static boolean isPunted(final Subject subject, final FiveTuple packet) {
        return packet.family() == IpFamily.IPV4 && (subject.facts().snapshot().pools().values().stream()
            .anyMatch(pool -> pool.prefixes().stream().anyMatch(each -> each.contains(packet.destination4())))
            || subject.tenant().nat().stream().flatMap(nat -> nat.portBlocks().stream())
                .anyMatch(each -> each.inside().contains(packet.source4())));
    }
}
