// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.it.system.CrashSchedule.Round;
import io.penstock.it.system.CrashSchedule.Strike;
import io.penstock.it.system.CrashTenants.Change;
import io.penstock.it.system.CrashTenants.Tenant;
import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each process of a supervised node, and the controller, is killed in the middle of changes, while tenants come, change
 * and go and hosts talk. After each round all is looked at. {@code -Dpenstock.crash.seed} repeats a run,
 * {@code -Dpenstock.crash.kills} makes it longer.
 */
@Tag("safety")
@Tag("deep")
@Tag("crash")
@Tag("hostile")
@OnSystem
class CrashMatrixIT {
    private static final long SEED = Long.getLong("penstock.crash.seed", System.nanoTime());
    private static final int KILLS = Integer.getInteger("penstock.crash.kills", 200);

    private static final int SLOTS = 4;
    private static final int FIRST_QUIET_VLAN = 131;
    private static final int QUIET = 3;
    /** Of the untouched tenants this one is behind a function. */
    private static final int CHAINED_VLAN = 133;
    private static final String FUNCTION = "steady";
    private static final int HOSTILE_VLAN = 140;
    private static final int PER_SECOND = 20;
    private static final int PER_SECOND_OF_OTHERS = 10;
    private static final int FIRST_PORT = 9007;
    private static final Duration RECOVERY = Duration.ofSeconds(60);
    /** What a datagram takes to the server and back on a busy machine: it may be on its way when a process ends. */
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(1);
    /**
     * How long after the end of a process that carries packets they may be lost: a start of the switch, a connection of
     * the controller, its flows, and hosts that are asked for. Some seconds; the bound is for a busy machine.
     */
    private static final Duration MARGIN = Duration.ofSeconds(20);
    private static final Duration LOSS_IS_KNOWN = Duration.ofMillis(5600);

    private final EdgeSystem system;
    private final EdgeNode node;
    private final CrashVictims victims;
    private final CrashTenants tenants;
    private final Random random = new Random(SEED);
    private final ExecutorService client = Executors.newSingleThreadExecutor();
    private final SortedMap<Integer, CrashTraffic> hosts = new TreeMap<>();
    private final List<CrashTraffic> others = new ArrayList<>();
    private final SortedMap<String, Integer> killed = new TreeMap<>();
    /** When carriers were away, and nothing could bring them back; a margin comes before and after. */
    private final List<Gap> gaps = new ArrayList<>();
    private final SortedMap<String, Integer> changes = new TreeMap<>();
    private final List<Window> windows = new ArrayList<>();
    private CrashTraffic backbone;
    private boolean stuck;

    /** A round: in the time between, untouched tenants lost nothing, or only while what carries them was away. */
    private record Gap(long begun, long ended) { }

    private record Window(int round, boolean carriers, boolean stuck, long begun, long until) { }

    CrashMatrixIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        victims = new CrashVictims(node);
        tenants = new CrashTenants(node, SLOTS);
    }

    @BeforeEach
    void provide() {
        tell("crash matrix", "seed %d, %d kills".formatted(SEED, KILLS));
        system.reset();
        node.functions().startAgent();
        node.network().transit().route("100.64.77.0/24", EdgeNode.BACKBONE_ADDRESS);
        system.restconf().put(Intent.ACLS + "/acl=" + CrashTenants.CLOSED, """
            {'ietf-access-control-list:acl': [{'name': '%s', 'aces': {'ace': [
              {'name': 'closed', 'matches': {'ipv4': {'protocol': 17}, 'udp': {'destination-port':
                {'operator': 'eq', 'port': %s}}}, 'actions': {'forwarding': 'ietf-access-control-list:drop'}},
              {'name': 'rest', 'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}"""
            .formatted(CrashTenants.CLOSED, CrashTenants.CLOSED_PORT));
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': '" + FUNCTION
            + "', 'node': '" + node.name() + "', 'fail-policy': 'closed', 'start': {'function': 'forwarder', 'core': 0,"
            + " 'scheduling': 'low'}}")));
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain(FUNCTION, FUNCTION))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", Stream.concat(quiet(), Stream.of(HOSTILE_VLAN))
            .map(vlan -> tenants.document(new Tenant("quiet-" + vlan, vlan, quietAddress(vlan), Intent.LIST),
                vlan == CHAINED_VLAN ? ", 'chain': '" + FUNCTION + "'" : "")).toList()));
        system.awaitState("quiet-" + CHAINED_VLAN, "active");
        system.awaitApplied();
        others.add(CrashTraffic.server(node));
        final List<String> rules = new ArrayList<>();
        tenants.vlans().forEach(vlan -> rules.add(vlan + "=" + String.join(",", CrashTenants.addresses(vlan))));
        Stream.concat(quiet(), Stream.of(HOSTILE_VLAN)).forEach(vlan -> rules.add(vlan + "=" + quietAddress(vlan)));
        backbone = CrashTraffic.backbone(node, rules);
        others.add(backbone);
        quiet().forEach(vlan -> talk(vlan, PER_SECOND, List.of()));
        tenants.vlans().forEach(vlan -> talk(vlan, PER_SECOND_OF_OTHERS, List.of()));
        talk(HOSTILE_VLAN, PER_SECOND_OF_OTHERS, Stream.concat(quiet().map(CrashMatrixIT::quietAddress),
            tenants.vlans().stream().flatMap(vlan -> CrashTenants.addresses(vlan).stream())).toList());
        victims.awaitWhole();
        leaksAreSeen();
    }

    /** Where something has to be missing, what looks for it has to find it. */
    private void leaksAreSeen() {
        try (CrashTraffic stranger = CrashTraffic.stranger(node, FIRST_QUIET_VLAN, HOSTILE_VLAN);
                CrashTraffic misled = CrashTraffic.backbone(node, List.of(FIRST_QUIET_VLAN + "=192.0.2.99"))) {
            Await.until("leaks at a host are seen", () -> !stranger.leaks().isEmpty());
            Await.until("leaks on the backbone are seen", () -> !misled.leaks().isEmpty());
        }
    }

    @AfterEach
    void stop() {
        client.shutdownNow();
        hosts.values().forEach(CrashTraffic::close);
        others.forEach(CrashTraffic::close);
        node.up();
        system.reset();
        node.stopFunctionsAgent();
        node.functions().stop(FUNCTION);
    }

    private static Stream<Integer> quiet() {
        return IntStream.range(FIRST_QUIET_VLAN, FIRST_QUIET_VLAN + QUIET).boxed();
    }

    private static String quietAddress(final int vlan) {
        return "100.64.77." + vlan;
    }

    private void talk(final int vlan, final int perSecond, final List<String> attacked) {
        hosts.put(vlan, CrashTraffic.host(node, vlan, perSecond, attacked));
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void eachProcessIsKilledAtEachStepOfAChange() {
        check();
        long begun = System.nanoTime();
        int number = 0;
        for (final Round round : new CrashSchedule(SEED, KILLS).rounds()) {
            number++;
            node.widenSockets();
            try {
                final boolean controller = strike(round);
                if (controller) {
                    system.controller().start();
                    if (round.carriers()) {
                        // A switch that was started again has no flows before there is a controller.
                        gaps.add(new Gap(begun, System.nanoTime()));
                    }
                }
                check();
                windows.add(new Window(number, round.carriers(), stuck, begun, System.nanoTime()));
                lostOnlyWhatWasCarried(System.nanoTime() - LOSS_IS_KNOWN.toNanos());
            } catch (AssertionError e) {
                try {
                    keepEvidence(ControllerUnderTest.ROOT.resolve("it/target/crash-matrix"));
                } catch (AssertionError | UncheckedIOException other) {
                    e.addSuppressed(other);
                }
                throw new AssertionError("seed " + SEED + ", round " + number + ", " + round + ": " + e.getMessage()
                    + "\nprocesses: " + victims.census() + "\nkills so far: " + killed, e);
            }
            tell("round " + number, "%.1f s, kills %d".formatted((System.nanoTime() - begun) / 1e9,
                killed.values().stream().mapToInt(Integer::intValue).sum()));
            begun = System.nanoTime();
        }
        sleep(LOSS_IS_KNOWN);
        lostOnlyWhatWasCarried(System.nanoTime());
        tell("kills", killed.toString());
        tell("changes", changes.toString());
        tell("outages", outages(quiet().filter(vlan -> vlan != CHAINED_VLAN)).toString());
        tell("outages behind a function", outages(Stream.of(CHAINED_VLAN)).toString());
        tell("seen on the backbone", backbone.seen());
        tell("repairs", system.node(node).get("repairs").getAsString());
    }

    /** Writes into a directory what tells why a round has failed; it is gone with the node. */
    private void keepEvidence(final Path directory) {
        victims.keepLogs(directory);
        final StringBuilder text = new StringBuilder();
        hosts.forEach((vlan, host) -> text.append("VLAN %d: %s%n%s%n".formatted(vlan, host.state(),
            node.host(vlan).shell().attempt("ip", "neighbour").output())));
        for (final List<String> command : List.of(List.of("dpctl/dump-conntrack", "netdev@ovs-netdev"),
                List.of("dpctl/dump-flows", "-m", "netdev@ovs-netdev"))) {
            text.append(victims.ask(command)).append(System.lineSeparator());
        }
        try {
            Files.writeString(directory.resolve("state.txt"), text);
            Files.write(directory.resolve("flows.txt"), victims.flows());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes tenants, and kills while a change is under way; says whether the controller is dead now. */
    private boolean strike(final Round round) {
        boolean dead = false;
        for (final Strike strike : round.strikes()) {
            if (tenants.isUnknown() && !dead) {
                tenants.settle(network());
            }
            final Change change = dead ? null : tenants.next(random);
            final Future<Answer> answer = change == null ? null : client.submit(() -> system.restconf()
                .data(change.method(), change.path(), change.document()));
            sleep(strike.after());
            for (final String victim : strike.victims()) {
                if (victim.equals(CrashSchedule.CONTROLLER)) {
                    system.controller().process().destroyForcibly(); // At once: the tool takes longer than a change.
                    system.controller().kill();
                    dead = true;
                } else {
                    final long when = victims.signal(victim, strike.signal());
                    if (CrashVictims.CARRIERS.contains(victim)) {
                        gaps.add(new Gap(when, when));
                    }
                }
                killed.merge((strike.signal().equals("STOP") ? "STOP " : "") + victim, 1, Integer::sum);
            }
            if (change != null) {
                note(change, answer);
            }
        }
        return dead;
    }

    private void note(final Change change, final Future<Answer> pending) {
        final String kind = change.what().replaceAll(" [^ ]*-[0-9]+$", "");
        try {
            final Answer answer = pending.get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer.isRefusal()).as("%s: %s", change, answer).isFalse();
            if (answer.isGood()) {
                tenants.acknowledged(change);
            } else {
                tenants.unanswered(change);
            }
            changes.merge(kind + ' ' + (answer.isGood() ? "acknowledged" : answer.status()), 1, Integer::sum);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UncheckedIOException)) {
                throw new AssertionError(change.toString(), e);
            }
            tenants.unanswered(change);
            changes.merge(kind + " not answered", 1, Integer::sum);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no answer to " + change, e);
        }
    }

    private JsonObject network() {
        return system.restconf().read(Intent.NETWORK).getAsJsonObject("penstock:network");
    }

    /** All is there again and as acknowledged. */
    private void check() {
        victims.awaitWhole();
        tenants.settle(network());
        Await.until("both nodes are connected", RECOVERY, system::verify, nodes -> nodes.size() == 2
            && nodes.stream().allMatch(each -> each.get("connected").getAsBoolean()));
        Await.until("the changes are applied", RECOVERY, () -> system.restconf().call("wait-applied", "{}"),
            answer -> answer.get("applied").getAsBoolean());
        system.awaitSync();
        freeFunction();
        Await.until("traffic is as acknowledged", RECOVERY, this::unlike, String::isEmpty);
        final List<CrashTraffic> all = Stream.concat(hosts.values().stream(), others.stream()).toList();
        all.forEach(CrashTraffic::assertRuns);
        assertThat(all.stream().flatMap(each -> each.leaks().stream())).as("leaks").isEmpty();
    }

    /**
     * Does for a function what an operator has to do: one whose switch ends while it connects to it may be left with a
     * ring that no switch enables (docs/limits.md). Nothing happens when its tenant has traffic, or another has none.
     */
    private void freeFunction() {
        final long deadline = System.nanoTime() + MARGIN.toNanos();
        String wrong = unlike();
        while (!wrong.isEmpty() && System.nanoTime() < deadline) {
            wrong = unlike();
        }
        stuck = wrong.matches("VLAN " + CHAINED_VLAN + ":[^;]*; ");
        if (stuck) {
            node.killFunction(FUNCTION);
            killed.merge("stuck function", 1, Integer::sum);
        }
    }

    /** What traffic of a second tells of tenants that is not as it has to be; empty if all is right. */
    private String unlike() {
        final SortedMap<Integer, CrashTraffic.State> before = new TreeMap<>();
        hosts.forEach((vlan, host) -> before.put(vlan, host.state()));
        sleep(Duration.ofMillis(1500));
        final StringBuilder wrong = new StringBuilder();
        hosts.forEach((vlan, host) -> {
            final CrashTraffic.State was = before.get(vlan);
            final CrashTraffic.State is = host.state();
            final String source = expectedSource(vlan);
            final boolean passes = is.answered() > was.answered();
            final boolean closedPasses = is.answeredClosed() > was.answeredClosed();
            if (passes != !source.isEmpty() || passes && !is.source().equals(source)
                    || closedPasses != (passes && expectedOpen(vlan))) {
                wrong.append("VLAN %d: %s and then %s, but %s; ".formatted(vlan, was, is, tenants.stored().get(vlan)));
            }
        });
        return wrong.toString();
    }

    private String expectedSource(final int vlan) {
        if (!tenants.vlans().contains(vlan)) {
            return quietAddress(vlan);
        }
        final Tenant tenant = tenants.stored().get(vlan);
        return tenant == null ? "" : tenant.address();
    }

    private boolean expectedOpen(final int vlan) {
        final Tenant tenant = tenants.stored().get(vlan);
        return tenant == null || tenant.list().equals(Intent.LIST);
    }

    /** Looks at the rounds that ended before a moment, since when all losses are known. */
    private void lostOnlyWhatWasCarried(final long known) {
        while (!windows.isEmpty() && windows.get(0).until() < known) {
            final Window window = windows.remove(0);
            quiet().filter(vlan -> !window.stuck() || vlan != CHAINED_VLAN).forEach(vlan -> {
                final List<String> unexplained = hosts.get(vlan).losses().stream()
                    .filter(loss -> loss.when() >= window.begun() && loss.when() <= window.until()
                        && !(window.carriers() && explained(loss.when())))
                    .map(loss -> "port %d at %.3f s".formatted(loss.port(), (loss.when() - window.begun()) / 1e9))
                    .toList();
                assertThat(unexplained).as("datagrams of the untouched VLAN %d that were lost in round %d, "
                    + "since its begin", vlan, window.round()).isEmpty();
            });
        }
    }

    private boolean explained(final long when) {
        return gaps.stream().anyMatch(gap -> when >= gap.begun() - ON_ITS_WAY.toNanos()
            && when <= gap.ended() + MARGIN.toNanos());
    }

    /** How long untouched tenants were without answers, in words. */
    private List<String> outages(final Stream<Integer> vlans) {
        final List<Double> seconds = new ArrayList<>();
        vlans.forEach(vlan -> seconds.addAll(hosts.get(vlan).outages(FIRST_PORT)));
        seconds.sort(null);
        if (seconds.isEmpty()) {
            return List.of("none");
        }
        return Stream.of(0, 50, 90, 99, 100).map(percent -> "%d %%: %.2f s".formatted(percent,
            seconds.get(Math.min(seconds.size() - 1, seconds.size() * percent / 100)))).toList();
    }

    private static void sleep(final Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static void tell(final String what, final String value) {
        Figures.tell("crash matrix, " + what, value);
    }
}
