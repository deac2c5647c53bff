// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ViolationTest {
    @Test
    void aLineIsDividedByItsFirstColons() {
        final String line = new Violation("acl x: y\nz", "ace a: b / matches", "not: this\none").line();
        assertThat(line.lines()).hasSize(1);
        assertThat(line.split(": ", 3)).containsExactly("acl x:\u00a0y\u00a0z", "ace a:\u00a0b / matches",
            "not: this\u00a0one");
    }

    @Test
    void usualWordsAreTheSame() {
        final Violation usual = new Violation("backbone ipv6 route ::/0", "next-hop", "is none");
        assertThat(usual.line()).isEqualTo(usual.toString());
    }
}
