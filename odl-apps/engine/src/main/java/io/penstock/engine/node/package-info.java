// SPDX-License-Identifier: Apache-2.0
/** One worker for each node: brings its bridge and its flows to the plan. */
package io.penstock.engine.node;
