// SPDX-License-Identifier: Apache-2.0
/**
 * The flows, one class for each group of tables. A stage reads a {@link io.penstock.pipeline.stage.NodeView} and writes
 * to a {@link io.penstock.pipeline.stage.FlowSink}; it knows no other stage.
 */
package io.penstock.pipeline.stage;
