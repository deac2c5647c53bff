// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FlowSpec;

/**
 * A flow and what it is for, in a few words. The label stays in the controller.
 *
 * @param shown whether packets that it drops may be shown to the controller
 */
public record PlannedFlow(FlowSpec flow, String label, boolean shown) {
    /** One whose packets may be shown. */
    public PlannedFlow(final FlowSpec flow, final String label) {
        this(flow, label, true);
    }
}
