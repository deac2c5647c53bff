// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

/**
 * When to tell how much of some public addresses is used (RFC 8512, notify-pool-usage).
 *
 * @param high percent, 1 to 100: told when as much or more is used
 * @param low percent, 0 to below {@code high}: told when it is as much or less again
 */
public record Thresholds(int high, int low) {
    /** Percent that are used, rounded down; 100 of nothing. */
    public static int percent(final long used, final long size) {
        return size == 0 ? 100 : (int) (100 * used / size);
    }
}
