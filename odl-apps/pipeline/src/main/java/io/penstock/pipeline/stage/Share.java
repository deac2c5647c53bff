// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.registry.Register;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Which instance each bucket of new connections has. A bucket belongs to a group of instances, by the weights of the
 * groups, and within it to an instance, by the weights of these; neighbouring buckets differ.
 */
final class Share {
    /** By how many different shares new connections can be spread. */
    static final int BUCKETS = 1 << Register.BUCKET.range().bits();
    private static final int PERCENT = 100;

    private Share() {
        // Only functions.
    }

    /** Instances that are to have new connections. */
    private record Group(List<Instance> instances, int weight) { }

    /** Takes turns by weights: in any row of as many turns as all weights together, each has its weight. */
    private static final class Turns {
        private final int[] weights;
        private final int[] credit;
        private final int total;

        Turns(final int... weights) {
            this.weights = weights;
            credit = new int[weights.length];
            total = IntStream.of(weights).sum();
        }

        int next() {
            int next = 0;
            for (int each = 0; each < credit.length; each++) {
                credit[each] += weights[each];
                next = credit[each] > credit[next] ? each : next;
            }
            credit[next] -= total;
            return next;
        }
    }

    /**
     * The instance of each bucket. The buckets of one that does not work go to the others of its group in turns, or to
     * those of the other group, and all others stay. Empty when none works; when only such work that are to have no
     * new connections, they have them.
     *
     * @param verdict about the function's canary
     * @param working instances that may have connections
     */
    static List<Instance> of(final NetworkFunction function, final Optional<Verdict> verdict,
            final List<Instance> working) {
        final List<Group> groups = groups(function, verdict).stream()
            .filter(group -> !group.instances().isEmpty()).toList();
        return groups.stream().flatMap(group -> group.instances().stream()).anyMatch(working::contains)
            ? among(groups, working)
            : working.isEmpty() ? List.of() : among(List.of(new Group(working, BUCKETS)), working);
    }

    /**
     * The bits of a packet that tell its bucket.
     *
     * @param source its source port, or its source address
     */
    static FieldRange bits(final MatchField source, final boolean ports) {
        final int low = ports ? 1 : 0;
        return new FieldRange(source, low + Register.BUCKET.range().bits() - 1, low);
    }

    /** The bucket of a packet by which a new connection begins: an index of {@link #of}. */
    static int bucketOf(final FiveTuple packet) {
        final boolean ipv4 = packet.family() == IpFamily.IPV4;
        final FieldRange bits = packet.hasPorts() ? bits(MatchField.TCP_SRC, true)
            : bits(ipv4 ? MatchField.IP_SRC : MatchField.IPV6_SRC, false);
        final long value = packet.hasPorts() ? packet.sourcePort() : packet.source().low();
        return (int) ((value & bits.mask()) >>> bits.low());
    }

    private static List<Group> groups(final NetworkFunction function, final Optional<Verdict> verdict) {
        final List<Instance> meant = function.instances().stream()
            .filter(instance -> CanaryResult.state(function, instance, verdict) == State.IN_SERVICE).toList();
        if (function.canary().isEmpty() || verdict.isPresent()) {
            return List.of(new Group(meant, BUCKETS));
        }
        final Canary canary = function.canary().orElseThrow();
        final int part = Math.max(1, Math.round((float) BUCKETS * canary.sharePercent() / PERCENT));
        return List.of(new Group(meant.stream().filter(each -> !canary.has(each)).toList(), BUCKETS - part),
            new Group(meant.stream().filter(canary::has).toList(), part));
    }

    private static List<Instance> among(final List<Group> groups, final List<Instance> working) {
        final Turns turns = new Turns(groups.stream().mapToInt(Group::weight).toArray());
        final List<Turns> within = groups.stream()
            .map(group -> new Turns(group.instances().stream().mapToInt(Instance::weight).toArray())).toList();
        final List<Instance> all = groups.stream().flatMap(group -> group.instances().stream())
            .filter(working::contains).toList();
        final List<List<Instance>> able = groups.stream().map(group -> group.instances().stream()
            .filter(working::contains).toList()).map(some -> some.isEmpty() ? all : some).toList();
        final int[] turn = {0};
        return IntStream.range(0, BUCKETS).mapToObj(bucket -> {
            final int group = turns.next();
            final Instance next = groups.get(group).instances().get(within.get(group).next());
            return working.contains(next) ? next : able.get(group).get(turn[0]++ % able.get(group).size());
        }).toList();
    }
}
