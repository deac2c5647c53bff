// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import java.time.Instant;

/**
 * An assignment that begins or ends.
 *
 * @param begins whether it begins
 */
public record Change(Instant time, boolean begins, Assignment assignment) { }
