// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class OnceLogTest {
    private final OnceLog log = new OnceLog(NOPLogger.NOP_LOGGER);

    @Test
    void warnsOncePerPeerAndReason() {
        assertThat(log.warn("a", "broken")).isTrue();
        assertThat(log.warn("a", "broken")).isFalse();
        assertThat(log.warn("b", "broken")).isTrue();
        assertThat(log.warn("a", "silent")).isTrue();
    }

    @Test
    void remembersTheBeginningOfALongReason() {
        assertThat(log.warn("a", "x".repeat(1 << 20))).isTrue();
        assertThat(log.warn("a", "x".repeat(1 << 20) + "y")).isFalse();
        assertThat(log.warn("a", "y".repeat(1 << 20))).isTrue();
    }

    @Test
    void remembersABoundedNumber() {
        log.warn("first", "broken");
        for (int i = 0; i < 1000; i++) {
            log.warn("peer" + i, "broken");
        }
        assertThat(log.warn("first", "broken")).isTrue();
    }
}
