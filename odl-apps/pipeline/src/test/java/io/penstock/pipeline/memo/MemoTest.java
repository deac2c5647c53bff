// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.memo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoTest {
    private final Memo<List<Integer>, Integer> memo = new Memo<>();
    private final List<List<Integer>> asked = new ArrayList<>();

    private int size(final List<Integer> key) {
        return memo.of(key, list -> {
            asked.add(list);
            return list.size();
        });
    }

    @Test
    void whatIsAskedForInEveryPassIsComputedOnce() {
        final List<Integer> key = List.of(1, 2);
        for (int pass = 0; pass < 5; pass++) {
            memo.begin();
            assertThat(size(key)).isEqualTo(2);
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void equalKeysAreNotTheSame() {
        memo.begin();
        assertThat(size(new ArrayList<>(List.of(1))) + size(new ArrayList<>(List.of(1)))).isEqualTo(2);
        assertThat(asked).hasSize(2);
    }

    @Test
    void whatAPassDoesNotAskForIsForgotten() {
        final List<Integer> key = List.of(1, 2);
        size(key);
        memo.begin();
        memo.begin();
        assertThat(memo.recall(key)).isNull();
        size(key);
        memo.forget();
        assertThat(memo.recall(key)).isNull();
    }
}
