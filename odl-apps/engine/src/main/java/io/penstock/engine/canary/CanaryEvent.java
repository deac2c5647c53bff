// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.canary;

import io.penstock.pipeline.allocation.CanaryResult;

/** A new version of a function was judged. */
public record CanaryEvent(String function, CanaryResult result) { }
