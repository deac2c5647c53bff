// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.CommitObserver;
import io.penstock.configuration.Desired;
import io.penstock.engine.Engine;
import io.penstock.engine.EngineObserver;
import io.penstock.engine.node.NodeCounts;
import io.penstock.events.EventSink;
import io.penstock.events.OperatorEvent;
import io.penstock.pipeline.plan.NodePlan;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import javax.servlet.http.HttpServlet;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * The metrics of a controller: what it counts itself, and what it knows of the network while it has the engine. Safe
 * for all threads; nothing that it is told makes it block. A component of its own, so that it also tells of a
 * controller that did not start.
 */
@Component(service = Metrics.class)
public final class Metrics {
    /** Tenants with samples of their own, unless a setting has another number. */
    public static final int TENANTS = 1000;

    private static final double[] SECONDS = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30};
    private static final double NANOS = 1e9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Drops drops = new Drops();
    private final Counter events;
    private final Counter refusals;
    private final DistributionDataPoint commits;
    private final DistributionDataPoint applications;
    private volatile Optional<Engine> running = Optional.empty();
    private volatile Supplier<Member> member = () -> Member.STARTING;
    private volatile int tenants = TENANTS;

    /** Those of a controller that is being started. */
    @Activate
    public Metrics(final BundleContext bundles) {
        this(bundles.getBundle().getVersion().toString());
    }

    /** Those of a release. */
    Metrics(final String version) {
        events = Counter.builder().name("penstock_events").help("Events that were told to operators.")
            .labelNames("event", "severity").register(registry);
        refusals = Counter.builder().name("penstock_refused_changes")
            .help("Changes of the configuration that broke rules.").register(registry);
        commits = seconds("penstock_commit_duration_seconds",
            "Time from the check of a change of the configuration to its commit.");
        applications = seconds("penstock_apply_duration_seconds",
            "Time from the takeover of a change until a connected switch had confirmed it, by switch.");
        registry.register(new MemberMetrics(version, () -> member.get(), () -> running.map(engine ->
            OptionalLong.of(engine.epoch())).orElse(OptionalLong.empty())));
        registry.register(new NetworkMetrics(() -> running, drops, () -> tenants));
        JvmMetrics.builder().register(registry);
    }

    private DistributionDataPoint seconds(final String name, final String help) {
        return Histogram.builder().name(name).help(help).classicOnly().classicUpperBounds(SECONDS).register(registry);
    }

    /**
     * Tells of a member from now on.
     *
     * @param told tells of it at each scrape; must not block
     * @param most tenants with samples of their own; those of all others are added up
     */
    public void describe(final Supplier<Member> told, final int most) {
        member = requireNonNull(told);
        tenants = most;
    }

    /** Answers a scrape, in the format that its client asks for. */
    public HttpServlet servlet() {
        return new MetricsServlet(registry);
    }

    /** Counts events. */
    public EventSink events() {
        return event -> events.labelValues(kind(event), event.severity().name().toLowerCase(Locale.ROOT))
            .inc();
    }

    private static String kind(final OperatorEvent event) {
        return event.notification().substring(event.notification().indexOf(':') + 1);
    }

    /** Measures changes of the configuration. */
    public CommitObserver commits() {
        return new CommitObserver() {
            @Override
            public void committed(final Duration taken) {
                commits.observe(taken.toNanos() / NANOS);
            }

            @Override
            public void refused() {
                refusals.inc();
            }
        };
    }

    /**
     * Tells of the network by an engine that has just been made, until the end is called.
     *
     * @return the end
     */
    public Runnable follow(final Engine engine) {
        drops.clear();
        engine.observedBy(new EngineObserver() {
            @Override
            public void counted(final String node, final NodeCounts before, final NodeCounts now,
                    final Optional<NodePlan> plan, final Desired desired) {
                drops.counted(node, before, now, plan, desired);
            }

            @Override
            public void applied(final Duration taken) {
                applications.observe(taken.toNanos() / NANOS);
            }
        });
        running = Optional.of(engine);
        return () -> running = Optional.empty();
    }
}
