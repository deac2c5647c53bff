// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FlowSpec;

/** A flow and what it is for, in a few words. The label stays in the controller. */
public record PlannedFlow(FlowSpec flow, String label) { }
