// SPDX-License-Identifier: Apache-2.0
/**
 * The flows. A stage names the tables that it writes, reads a {@link io.penstock.pipeline.stage.NodeView} and writes
 * to a {@link io.penstock.pipeline.stage.FlowSink}, which holds it to the contracts of these tables. It knows no other
 * stage: flows that several of them write are in classes beside them.
 */
package io.penstock.pipeline.stage;
