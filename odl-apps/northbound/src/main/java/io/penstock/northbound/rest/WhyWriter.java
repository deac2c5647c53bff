// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import io.penstock.operations.WhyReport;
import io.penstock.operations.WhyReport.WhyStep;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WhyOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WhyOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.why.output.Step;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.why.output.Step.Verdict;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.why.output.StepBuilder;

/** Writes why packets do not pass as the model has it. */
final class WhyWriter {
    private WhyWriter() {
        // Only functions.
    }

    static WhyOutput why(final WhyReport report) {
        return new WhyOutputBuilder().setCause(report.cause()).setAnswer(report.answer())
            .setRemedy(unlessEmpty(report.remedy())).setStep(report.steps().stream().map(WhyWriter::step).toList())
            .build();
    }

    private static Step step(final WhyStep step) {
        return new StepBuilder().setStage(step.stage()).setVerdict(verdict(step.verdict()))
            .setCause(unlessEmpty(step.cause())).setText(step.text()).setRemedy(unlessEmpty(step.remedy())).build();
    }

    private static Verdict verdict(final WhyReport.Verdict verdict) {
        return switch (verdict) {
            case PASSES -> Verdict.Passes;
            case NOTICE -> Verdict.Notice;
            case UNKNOWN -> Verdict.Unknown;
            case FAILS -> Verdict.Fails;
        };
    }

    private static @Nullable String unlessEmpty(final String text) {
        return Optional.of(text).filter(each -> !each.isEmpty()).orElse(null);
    }
}
