// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.DatapathFlows;
import io.penstock.testkit.NodeFunctions;
import io.penstock.testkit.Wire.Sent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What packets cost, counted and not timed: the same on a slow machine as on a fast one. Every number has to be the one
 * in {@code cost-budget.txt}, which says what they mean; who makes something cheaper writes the new number there.
 */
class CostPacketsIT {
    private static final String BUDGET = "/cost-budget.txt";

    private static final Map<CostScenario, Cost> BUDGETS = new EnumMap<>(CostScenario.class);
    private static WiredNode node;

    /** A line of the table. */
    private record Cost(int flows, String passes, int megaflows, int masks) {
        static Cost parse(final String... cells) {
            return new Cost(Integer.parseInt(cells[1]), cells[2], Integer.parseInt(cells[3]),
                Integer.parseInt(cells[4]));
        }

        @Override
        public String toString() {
            return "%5d | %6s | %9d | %5d".formatted(flows, passes, megaflows, masks);
        }
    }

    @BeforeAll
    static void start() {
        try (Scanner lines = new Scanner(CostPacketsIT.class.getResourceAsStream(BUDGET), StandardCharsets.UTF_8)
                .useDelimiter("\\R")) {
            lines.tokens().filter(line -> line.contains("|") && !line.startsWith("#"))
                .map(line -> line.trim().split(" *\\| *"))
                .forEach(cells -> BUDGETS.put(CostScenario.valueOf(cells[0]), Cost.parse(cells)));
        }
        node = new WiredNode();
        node.load(CostScenario.nobody(node.vhostDirectory()));
        final NodeFunctions functions = node.functions();
        functions.start("one", "forwarder");
        functions.start("two", "forwarder");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    void costsWhatTheTableSays(final CostScenario scenario) {
        node.load(scenario.network(node.vhostDirectory()));
        if (scenario.hasSessions()) {
            node.openSessions();
        }
        node.wire().exchange(scenario.before());
        node.datapath().clear();
        final List<Sent> received = node.wire().exchange(scenario.counted());
        final DatapathFlows cached = node.datapath().flows();
        final String passes = perPacket(node.datapath().lookups(), received.size());
        final Cost cost = new Cost(flows(scenario), passes, cached.count(), cached.masks().size());
        assertThat(cost).as("%s: when this is meant, %s gets the new numbers\nmasks:\n%s\nflows:\n%s", scenario, BUDGET,
            String.join("\n", cached.masks()), cached).isEqualTo(BUDGETS.get(scenario));
    }

    @Test
    void manyTenantsNeedTheMasksOfOne() {
        for (final CostScenario many : CostScenario.values()) {
            many.ofOneTenant().ifPresent(one -> {
                final Cost each = BUDGETS.get(one);
                assertThat(BUDGETS.get(many)).as("%s", many).isEqualTo(new Cost(each.flows(), each.passes(),
                    many.tenants() * each.megaflows(), each.masks()));
            });
        }
    }

    /** OpenFlow flows a tenant, or those of the node when there is none. */
    private static int flows(final CostScenario scenario) {
        final Path vhostDirectory = node.vhostDirectory();
        final int none = WiredNode.plan(CostScenario.nobody(vhostDirectory)).flows().size();
        if (scenario.tenants() == 0) {
            return none;
        }
        final int more = WiredNode.plan(scenario.network(vhostDirectory)).flows().size() - none;
        assertThat(more % scenario.tenants()).as("flows that only some of the tenants have").isZero();
        return more / scenario.tenants();
    }

    /** A whole number where all packets cost the same. */
    private static String perPacket(final long lookups, final int packets) {
        return lookups % packets == 0 ? Long.toString(lookups / packets)
            : String.format(Locale.ROOT, "%.2f", (double) lookups / packets);
    }
}
