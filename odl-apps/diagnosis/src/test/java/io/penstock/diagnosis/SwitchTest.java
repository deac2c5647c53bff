// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static io.penstock.diagnosis.DiagnosisTest.fault;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.diagnosis.Facts.Service;
import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.operations.WhyReport.Verdict;
import io.penstock.operations.WhyReport.WhyStep;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The word of the switch beside that of the model. */
class SwitchTest {
    private static final String[] OUT = {World.HOST, World.SERVER, "80"};

    static Stream<Arguments> faults() {
        return Stream.of(
            fault(Cause.SWITCH_DISAGREES, OUT, world -> world.traced(false, "is dropped in table vrf_route"),
                "The controller finds that packets from 10.0.0.5 to 198.51.100.10, TCP port 80 pass, but by the trace "
                    + "of the switch the packet is dropped in table vrf_route: report this as a defect."),
            fault(Cause.SWITCH_DISAGREES, OUT, world -> {
                denied(world);
                world.traced(true, "leaves by port up0");
            }, "The controller finds that packets from 10.0.0.5 to 198.51.100.10, TCP port 80 do not pass "
                + "(list-denies), but by the trace of the switch the packet leaves by port up0: report this as a "
                + "defect."));
    }

    private static void denied(final World world) {
        world.permits("office", 443);
        world.egress("office");
    }

    @ParameterizedTest(name = "{0}: {3}")
    @MethodSource("faults")
    void isTheAnswerWhereItDisagrees(final Cause cause, final String[] question, final Consumer<World> broken,
            final String answer) {
        final World world = new World();
        broken.accept(world);
        final WhyReport report = world.why(question);
        assertThat(report.answer()).isEqualTo(answer);
        assertThat(report.cause()).isEqualTo(cause.text());
        assertThat(report.remedy()).contains("verify");
    }

    @Test
    void isOneMoreStepWhereItAgrees() {
        final World passed = new World();
        passed.traced(true, "leaves by port up0");
        assertThat(last(passed.why(OUT))).isEqualTo(new WhyStep("switch", Verdict.PASSES, "",
            "The trace of the switch agrees: the packet leaves by port up0.", ""));
        assertThat(passed.why(OUT).cause()).isEqualTo("none");
        final World dropped = new World();
        denied(dropped);
        dropped.traced(false, "is dropped in table tenant_acl");
        assertThat(dropped.why(OUT).answer()).startsWith("List office of tenant acme drops packets");
        assertThat(last(dropped.why(OUT)).text())
            .isEqualTo("The trace of the switch agrees: the packet is dropped in table tenant_acl.");
    }

    /** A dead gateway is no drop in the flows, and of flows that are known to be wrong no word is needed. */
    @Test
    void isNotAskedWhereItCannotBeCompared() {
        assertThat(probed(world -> { }, OUT)).isTrue();
        assertThat(probed(SwitchTest::denied, OUT)).isTrue();
        assertThat(Stream.<Consumer<World>>of(World::gatewaySilent, World::silent, world -> world.portDown("up0"),
            world -> world.serves(Service.DRIFTED, "2 flows are wrong"), world -> world.serves(Service.AWAY, ""))
            .map(broken -> probed(broken, OUT))).containsOnly(false);
        assertThat(Stream.of(new String[] {World.HOST, "203.0.113.4", "80"}, new String[] {"-", World.SERVER, "80"},
            new String[] {World.HOST, "10.0.1.9"}, new String[] {World.HOST}, new String[] {})
            .map(question -> probed(world -> { }, question))).containsOnly(false);
        final World silent = new World();
        silent.asks(List.of("192.0.2.53"), List.of("192.0.2.53"));
        assertThat(Diagnosis.probe(silent.facts(), question(OUT))).as("names do not matter to it").isPresent();
    }

    private static boolean probed(final Consumer<World> broken, final String... words) {
        final World world = new World();
        broken.accept(world);
        return Diagnosis.probe(world.facts(), question(words)).isPresent();
    }

    private static WhyQuestion question(final String... words) {
        return new WhyQuestion("acme", word(words, 0).filter(host -> !host.equals("-")), word(words, 1),
            Optional.empty(), word(words, 2).map(port -> OptionalInt.of(Integer.parseInt(port)))
                .orElse(OptionalInt.empty()), /* inbound= */ false);
    }

    private static Optional<String> word(final String[] words, final int index) {
        return index < words.length ? Optional.of(words[index]) : Optional.empty();
    }

    private static WhyStep last(final WhyReport report) {
        return report.steps().get(report.steps().size() - 1);
    }
}
