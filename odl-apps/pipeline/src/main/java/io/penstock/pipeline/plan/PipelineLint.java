// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Holds planned flows against the contracts of the registry. */
public final class PipelineLint {
    private PipelineLint() {
        // Only functions.
    }

    /** What is wrong with the flows, one line each; empty when nothing is. */
    public static List<String> check(final Collection<FlowSpec> flows) {
        final List<String> faults = new ArrayList<>();
        for (final FlowSpec flow : flows) {
            flow.next().filter(next -> !flow.table().next().contains(next))
                .ifPresent(next -> faults.add(flow + ": may not go to " + next));
            flow.matches().stream().filter(match -> match.field().isRegister())
                .forEach(match -> checkMatch(flow, match, faults));
            flow.actions().forEach(action -> checkAction(flow, action, faults));
        }
        return faults;
    }

    private static void checkAction(final FlowSpec flow, final Action action, final List<String> faults) {
        if (action instanceof Action.Load load) {
            checkRange(flow, load.target(), faults);
        } else if (action instanceof Action.SetField set) {
            checkRange(flow, set.field().range(), faults);
        } else if (action instanceof Action.CheckPktLarger check) {
            checkRange(flow, check.result(), faults);
        } else if (action instanceof Action.Move move) {
            checkRange(flow, move.source(), faults);
            checkRange(flow, move.target(), faults);
        } else if (action instanceof Action.Clone copy) {
            copy.actions().forEach(each -> checkAction(flow, each, faults));
        } else if (action instanceof Action.ConnTrack ct) {
            checkRange(flow, ct.zone(), faults);
            if (!flow.table().mayTrackTo(ct.table())) {
                faults.add(flow + ": ct goes back");
            }
        } else if (action instanceof Action.KeepLabel keep) {
            checkRange(flow, keep.zone(), faults);
            checkRange(flow, keep.label().source(), faults);
        } else if (action instanceof Action.Resubmit resubmit
                && !flow.table().mayResubmit(resubmit.table())) {
            faults.add(flow + ": resubmit goes back");
        }
    }

    private static void checkMatch(final FlowSpec flow, final FieldMatch match, final List<String> faults) {
        long left = match.mask();
        for (final Register register : Register.values()) {
            for (final FieldRange part : register.range().parts()) {
                if (part.field() == match.field() && (part.mask() & match.mask()) != 0) {
                    left &= ~part.mask();
                    checkLife(flow, register, faults);
                }
            }
        }
        if (left != 0) {
            faults.add(flow + ": matches bits of " + match.field() + " that mean nothing");
        }
    }

    private static void checkRange(final FlowSpec flow, final FieldRange range, final List<String> faults) {
        if (range.field().isRegister()) {
            for (final Register register : Register.values()) {
                if (register.range().overlaps(range)) {
                    checkLife(flow, register, faults);
                }
            }
        }
    }

    private static void checkLife(final FlowSpec flow, final Register register, final List<String> faults) {
        final Table table = flow.table();
        if (table.number() < register.first().number() || table.number() > register.last().number()) {
            faults.add(flow + ": " + register + " does not live in " + table);
        }
    }
}
