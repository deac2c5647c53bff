// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.testkit.PlannedFlows.Key;
import io.penstock.testkit.Trace.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Asks a switch what it would do with a packet. Not for several threads. */
public final class Tracer {
    /** Label of a flow that the switch learned. */
    public static final String LEARNED = "(learned)";

    private static final Pattern STEP = Pattern.compile(
        "^ *([0-9]+)\\. (?:(\\S+), )?priority ([0-9]+)(?:, cookie \\S+)?$", Pattern.MULTILINE);
    private static final Pattern NO_MATCH = Pattern.compile("^ *([0-9]+)\\. No match", Pattern.MULTILINE);
    private static final Pattern LAST_FLOW = Pattern.compile("^(?:Final flow|Flow): (?!unchanged$)(.*)$",
        Pattern.MULTILINE);
    private static final Pattern ACTIONS = Pattern.compile("^Datapath actions: (.*)$", Pattern.MULTILINE);
    private static final Pattern PORT = Pattern.compile("^ +(\\S+) [0-9]+/([0-9]+): ", Pattern.MULTILINE);
    private static final Pattern RECIRCULATION = Pattern.compile("recirc\\(0x([0-9a-f]+)\\)");
    private static final Pattern GONE = Pattern.compile("Recirculation context not found");
    private static final int ATTEMPTS = 5;
    private static final String NEW = "trk,new";
    private static final Pattern CT_PASS = Pattern.compile("resume conntrack");

    private final OvsSandbox ovs;
    private final String bridge;
    private final PlannedFlows flows;
    private final Map<String, String> ports = new HashMap<>();

    public Tracer(final OvsSandbox ovs, final NodePlan plan) {
        this.ovs = ovs;
        bridge = plan.bridge().name();
        flows = new PlannedFlows(ovs, plan);
        final Matcher matcher = PORT.matcher(ovs.appctl("dpif/show"));
        while (matcher.find()) {
            ports.put(matcher.group(2), matcher.group(1));
        }
    }

    /**
     * Traces a packet. Nothing is learned.
     *
     * <p>A trace knows no translation of a known connection. So the pass that translates such, before a limit of new
     * ones, takes the packet for new, and the next pass translates it.
     *
     * @param states what connection tracking says, one text for each pass but that one, for example
     *     {@code trk,est,rpl}; a pass without one fails the test, for the switch would take it for {@code trk,new}. The
     *     sampled copy of a packet is tracked like the packet, just before it, and gets the same
     */
    public Trace trace(final Packet packet, final String... states) {
        List<String> told = Arrays.asList(states);
        Trace trace = traceEachPass(packet, told);
        long passes = CT_PASS.matcher(trace.text()).results().count();
        if (trace.steps().stream().anyMatch(step -> step.table() == Table.NAT_SAMPLE)) {
            told = told.stream().flatMap(state -> Stream.of(state, state)).toList();
            trace = traceEachPass(packet, told);
            passes--;
        }
        final Optional<Integer> limited = passTo(Table.NAT_BEGIN, trace.text());
        if (limited.isPresent() && limited.orElseThrow() <= told.size()) {
            final List<String> more = new ArrayList<>(told);
            more.add(limited.orElseThrow(), NEW);
            trace = traceEachPass(packet, more);
            passes = CT_PASS.matcher(trace.text()).results().count() - (told.size() == states.length ? 1 : 2);
        }
        if (passes > states.length) {
            throw new AssertionError(passes + " passes through connection tracking, and only " + states.length
                + " states were given\n" + trace.text());
        }
        return trace;
    }

    /** Traces a packet, with what connection tracking says in every pass. */
    public Trace traceEachPass(final Packet packet, final List<String> states) {
        return run(packet, states.stream().flatMap(state -> Stream.of("--ct-next", state)).toList());
    }

    /** The number of the pass through connection tracking after which a packet meets a table; from 0. */
    private static Optional<Integer> passTo(final Table table, final String text) {
        final List<String> parts = List.of(CT_PASS.split(text));
        for (int part = 1; part < parts.size(); part++) {
            final Matcher step = STEP.matcher(parts.get(part));
            while (step.find()) {
                if (Integer.parseInt(step.group(1)) == table.number()) {
                    return Optional.of(part - 1);
                }
            }
        }
        return Optional.empty();
    }

    /** Sends a packet through the switch: what it teaches is learned. */
    public Trace send(final Packet packet) {
        return run(packet, List.of("-generate"));
    }

    private Trace run(final Packet packet, final List<String> options) {
        final String text = text(packet, options);
        if (NO_MATCH.matcher(text).results()
                .anyMatch(miss -> !Table.ofNumber(Integer.parseInt(miss.group(1))).orElseThrow().isLearned())) {
            throw new AssertionError("a table has no flow for this packet\n" + text);
        }
        final List<Step> steps = new ArrayList<>();
        final Matcher step = STEP.matcher(text);
        while (step.find()) {
            final Key key = new Key(Integer.parseInt(step.group(1)), Integer.parseInt(step.group(3)),
                step.group(2) == null ? "" : step.group(2));
            steps.add(new Step(Table.ofNumber(key.table()).orElseThrow(),
                flows.find(key).map(PlannedFlow::label).orElse(LEARNED)));
        }
        final List<String> actions = ACTIONS.matcher(text).results().map(result -> result.group(1)).toList();
        final List<String> tokens = actions.stream().flatMap(Tracer::tokens).toList();
        final List<String> last = LAST_FLOW.matcher(text).results().map(result -> result.group(1)).toList();
        return new Trace(text, steps, tokens.stream().filter(ports::containsKey).map(ports::get).toList(),
            tokens.stream().anyMatch(token -> token.startsWith("userspace(") && token.contains("controller(")),
            last.isEmpty() ? "" : last.get(last.size() - 1), actions);
    }

    /**
     * What the switch says. It goes on by itself only after connection tracking; where it looks a packet up anew for
     * another reason we ask again, at once, for the switch keeps the place where to go on for a quarter of a second.
     */
    private String text(final Packet packet, final List<String> options) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final String begin = ask(packet.toString(), options);
            final Optional<String> open = openEnd(begin);
            if (open.isEmpty()) {
                return begin;
            }
            final String rest = ask(packet.again(open.orElseThrow()), options);
            if (!GONE.matcher(rest).find()) {
                return begin + rest;
            }
        }
        throw new AssertionError("the switch forgets too soon where to go on with " + packet);
    }

    private String ask(final String flow, final List<String> options) {
        return ovs.appctl(Stream.concat(Stream.of("ofproto/trace", bridge, flow), options.stream())
            .toArray(String[]::new));
    }

    /** Where the packet would be looked up anew, when the text does not tell. */
    private static Optional<String> openEnd(final String text) {
        return ACTIONS.matcher(text).results()
            .flatMap(actions -> RECIRCULATION.matcher(actions.group(1)).results()).map(found -> found.group(1))
            .filter(id -> !text.contains("recirc(0x" + id + ") - resume")).findFirst();
    }

    /** Splits at the commas that are in no parentheses. */
    private static Stream<String> tokens(final String actions) {
        final List<String> tokens = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int index = 0; index < actions.length(); index++) {
            final char letter = actions.charAt(index);
            if (letter == '(') {
                depth++;
            } else if (letter == ')') {
                depth--;
            } else if (letter == ',' && depth == 0) {
                tokens.add(actions.substring(start, index));
                start = index + 1;
            }
        }
        tokens.add(actions.substring(start));
        return tokens.stream();
    }
}
