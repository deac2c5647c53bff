// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plans of some networks, as they were reviewed: one whole, the others as their difference from the plan of their
 * parent, and a hash of each whole plan. Run with {@code -Dgolden.update} to write the files.
 */
class GoldenTest {
    private static final Path FOLDER = Path.of("src/test/resources/golden");
    private static final Path HASHES = FOLDER.resolve("plans.sha256");
    private static final String SUFFIX = ".flows";
    private static final Map<String, GoldenText> PLANS = GoldenCase.ALL.stream()
        .collect(Collectors.toMap(GoldenCase::name, GoldenText::new, (one, two) -> two, LinkedHashMap::new));

    static List<GoldenCase> cases() {
        return GoldenCase.ALL;
    }

    private static void check(final Path file, final String text) throws IOException {
        if (System.getProperty("golden.update") != null) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void planIsAsReviewed(final GoldenCase network) throws IOException {
        final GoldenText plan = PLANS.get(network.name());
        check(FOLDER.resolve(network.name() + SUFFIX),
            network.parent().map(parent -> plan.differenceFrom(PLANS.get(parent))).orElseGet(plan::whole));
    }

    /** In one file: a flow of all plans changes these lines, and not every file. */
    @Test
    void wholePlansHaveTheReviewedHashes() throws IOException {
        check(HASHES, PLANS.entrySet().stream().map(plan -> plan.getValue().hash() + "  " + plan.getKey() + "\n")
            .collect(Collectors.joining()));
    }

    @Test
    void eachFileIsOfACase() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(Stream
                .concat(Stream.of(HASHES.getFileName().toString()), PLANS.keySet().stream().map(name -> name + SUFFIX))
                .toList());
        }
    }

    /** A chain of parents ends at the whole plan. */
    @Test
    void aParentStandsBeforeItsCases() {
        final Set<String> before = new HashSet<>();
        for (final GoldenCase network : GoldenCase.ALL) {
            assertThat(before).containsAll(network.parent().stream().toList());
            before.add(network.name());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void twoFlowsOfAPlanNeverReadAlike(final GoldenCase network) {
        assertThat(PLANS.get(network.name()).flowLines()).doesNotHaveDuplicates()
            .hasSameSizeAs(network.plan().flowSpecs());
    }

    /** Without names of ports and tenants, which are those of one network. */
    @Test
    void twoFlowsOfAnyPlansNeverReadAlike() {
        final FlowWords words = new FlowWords(Map.of(), Map.of());
        final Set<FlowSpec> flows = GoldenCase.ALL.stream().flatMap(each -> each.plan().flowSpecs().stream())
            .collect(Collectors.toSet());
        assertThat(flows.stream().map(words::of)).doesNotHaveDuplicates();
    }
}
