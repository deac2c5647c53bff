// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.SerialTasks;
import io.penstock.engine.node.DriftReport.Differences;
import io.penstock.events.RepairEvent;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a switch with its plan, some tables at a time and all of them in {@link #STEPS} steps, and repairs what
 * another program has changed. Tables that the switch learns are left out. For the tasks of one node, which go on when
 * a call is complete: so the controller does not change the switch between reading and comparing. {@link #report} is
 * safe for all threads.
 */
final class DriftWatch {
    /** Steps of a round, after which each flow and meter was compared. */
    static final int STEPS = 60;
    /** Step in which is read what meters have counted; in the first one their rates are. */
    private static final int METER_COUNTS = STEPS / 2;
    /** Tables of an Open vSwitch that flows can be written to. */
    private static final int TABLES = 254;
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration REPAIR_ANSWER = Duration.ofMinutes(1);
    /** Between two repairs, if differences are found again within a round. Doubles with each. */
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LAST_PAUSE_MILLIS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(DriftWatch.class);

    private final String node;
    private final OpenFlowSouthbound southbound;
    private final NodeFlows flows;
    private final RoundCounts counts;
    private final SerialTasks tasks;
    private final Consumer<RepairEvent> events;
    private final Ticker ticker;
    private final Clock clock;
    private int step;
    /** By step in which something differs. */
    private final Map<Integer, Found> differing = new TreeMap<>();
    private int cleanSteps;
    /** Whether tables of this round were not read. */
    private boolean unread;
    private long pauseMillis;
    private long lastRepair;
    private volatile DriftReport report = DriftReport.NOTHING;

    /**
     * What differs.
     *
     * @param lacking number of planned flows and meters that do, by VRF
     */
    private record Found(Differences differences, Map<Optional<VrfId>, Integer> lacking) { }

    /** Begins with the first tables. */
    DriftWatch(final String node, final OpenFlowSouthbound southbound, final NodeFlows flows,
            final RoundCounts counts, final SerialTasks tasks, final Consumer<RepairEvent> events, final Ticker ticker,
            final Clock clock) {
        this.node = requireNonNull(node);
        this.southbound = requireNonNull(southbound);
        this.flows = requireNonNull(flows);
        this.counts = requireNonNull(counts);
        this.tasks = requireNonNull(tasks);
        this.events = requireNonNull(events);
        this.ticker = requireNonNull(ticker);
        this.clock = requireNonNull(clock);
    }

    /** What was found and done so far. */
    DriftReport report() {
        return report;
    }

    /** The switch was read as a whole, and brought to its plan. */
    void compared() {
        differing.clear();
        report = new DriftReport(Optional.of(clock.instant()), report.repairs(), report.repaired(), Differences.NONE,
            Map.of());
    }

    /**
     * Compares the next tables with the plan that the switch has. Says whether to {@link #repair} now: that has to wait
     * after other repairs. A switch that does not answer is no reason: its connection tells when it is gone.
     */
    CompletableFuture<Boolean> next(final SwitchId id, final NodePlan installed) {
        return compare(id, installed).handle((found, error) -> {
            if (error != null) {
                LOG.debug("Node {}: tables of step {} were not read", node, step, error);
                unread = true;
            } else if (found.isPresent()) {
                differing.put(step, found.orElseThrow());
                cleanSteps = 0;
            } else {
                differing.remove(step);
                cleanSteps++;
            }
            return isRepairDue();
        });
    }

    private boolean isRepairDue() {
        if (cleanSteps >= STEPS) {
            pauseMillis = 0;
        }
        final boolean round = step == STEPS - 1 && !unread;
        step = (step + 1) % STEPS;
        unread = unread && step != 0;
        final Map<Optional<VrfId>, Integer> lacking = new HashMap<>();
        differing.values().forEach(each ->
            each.lacking().forEach((vrf, count) -> lacking.merge(vrf, count, Integer::sum)));
        report = new DriftReport(round ? Optional.of(clock.instant()) : report.compared(), report.repairs(),
            report.repaired(), differing.values().stream().map(Found::differences).reduce(Differences.NONE,
                Differences::plus), lacking);
        if (round) {
            counts.end();
        } else if (step == 0) {
            counts.begin();
        }
        return !differing.isEmpty()
            && (pauseMillis == 0 || ticker.read() - lastRepair >= TimeUnit.MILLISECONDS.toNanos(pauseMillis));
    }

    /** Reads the whole switch and repairs it in one change. */
    CompletableFuture<Void> repair(final SwitchId id, final NodePlan installed) {
        pauseMillis = pauseMillis == 0 ? FIRST_PAUSE_MILLIS : Math.min(2 * pauseMillis, LAST_PAUSE_MILLIS);
        lastRepair = ticker.read();
        return flows.observe(id, installed, REPAIR_ANSWER).thenCompose(seen -> seen.isClean()
            ? CompletableFuture.completedFuture(null)
            : flows.repair(id, installed, seen).thenAccept(changes -> {
                report = new DriftReport(report.compared(), report.repairs() + 1, Optional.of(clock.instant()),
                    Differences.NONE, Map.of());
                events.accept(seen.repair(node));
            })).thenRun(() -> {
                lastRepair = ticker.read();
                compared();
            });
    }

    /** Reads the tables of this step; nothing if they are as planned. */
    private CompletableFuture<Optional<Found>> compare(final SwitchId id, final NodePlan installed) {
        final Set<Integer> tables = tables(step);
        final List<CompletableFuture<FlowDump>> readings = tables.stream()
            .map(table -> tasks.within(ANSWER, southbound.readTable(id, table))).toList();
        final CompletableFuture<Optional<MeterDiff>> meters = step == 0
            ? tasks.within(ANSWER, southbound.readMeters(id)).thenApply(there ->
                Optional.of(MeterDiff.between(installed, there)))
            : CompletableFuture.completedFuture(Optional.empty());
        final CompletableFuture<Void> limits = step == METER_COUNTS
            ? tasks.within(ANSWER, southbound.readMeterCounts(id)).thenAccept(counts::addMeters)
                .exceptionally(error -> {
                    // Flows are compared all the same.
                    counts.lack();
                    return null;
                })
            : CompletableFuture.completedFuture(null);
        return CompletableFuture.allOf(Stream.concat(readings.stream(), Stream.of(limits))
            .toArray(CompletableFuture[]::new)).thenCombine(meters, (read, found) ->
                compare(tables, readings.stream().map(CompletableFuture::join).toList(), found, installed));
    }

    private Optional<Found> compare(final Set<Integer> tables, final List<FlowDump> dumps,
            final Optional<MeterDiff> meters, final NodePlan installed) {
        final FlowDump all = new FlowDump(dumps.stream().flatMap(dump -> dump.flows().stream()).toList(),
            dumps.stream().flatMap(dump -> dump.foreign().stream()).toList());
        counts.add(all.flows());
        final PlanDiff diff = flows.hideLingering(PlanDiff.between(installed, tables,
            all.flows().stream().map(InstalledFlow::flow).toList()));
        final Observation seen = new Observation(installed, all, meters.orElse(MeterDiff.NONE), diff);
        if (seen.isClean()) {
            return Optional.empty();
        }
        final Map<Optional<VrfId>, Integer> lacking = new HashMap<>();
        diff.toAdd().forEach(flow -> lacking.merge(owner(flow), 1, Integer::sum));
        meters.ifPresent(found -> count(found, installed, lacking));
        return Optional.of(new Found(new Differences(seen.missing(), seen.excess(), seen.wrong()), lacking));
    }

    private static void count(final MeterDiff found, final NodePlan installed,
            final Map<Optional<VrfId>, Integer> lacking) {
        final Set<MeterSpec> wanted = new HashSet<>(found.toSet());
        if (!wanted.isEmpty()) {
            installed.tenantMeters().forEach((vrf, meters) -> meters.stream().filter(wanted::remove)
                .forEach(meter -> lacking.merge(Optional.of(vrf), 1, Integer::sum)));
            if (!wanted.isEmpty()) {
                lacking.merge(Optional.empty(), wanted.size(), Integer::sum);
            }
        }
    }

    private static Optional<VrfId> owner(final FlowSpec flow) {
        return Cookie.is(flow.cookie(), Cookie.Kind.TENANT) ? Cookie.vrf(flow.cookie()) : Optional.empty();
    }

    /** Tables of a step: spread, for those of the registry stand close together. */
    private static Set<Integer> tables(final int step) {
        final Set<Integer> tables = new HashSet<>();
        for (int table = step; table < TABLES; table += STEPS) {
            if (Table.ofNumber(table).filter(Table::isLearned).isEmpty()) {
                tables.add(table);
            }
        }
        return tables;
    }
}
