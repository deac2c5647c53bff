// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import io.penstock.pipeline.allocation.CanaryResult;

/** A new version of a function was judged. */
public record CanaryEvent(String function, CanaryResult result) implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-operations:function-canary-event";
    }

    @Override
    public Severity severity() {
        return result.verdict() == CanaryResult.Verdict.BACK ? Severity.WARNING : Severity.NOTICE;
    }

    @Override
    public String text() {
        return "function " + function + ": canary " + result.version() + " judged "
            + OperatorEvent.word(result.verdict()) + ": " + result.reason();
    }

    @Override
    public Details details() {
        return Details.none().with("function", function).with("version", result.version())
            .with("verdict", OperatorEvent.word(result.verdict())).with("reason", result.reason());
    }
}
