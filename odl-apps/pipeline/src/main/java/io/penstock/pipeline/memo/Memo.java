// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.memo;

import static java.util.Objects.requireNonNull;

import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what a pure function made of immutable values, which it tells apart by identity, from one pass over many of
 * them to the next. What a pass does not ask for is forgotten with it. The result of a pass is the same with and
 * without; only the time differs. Not for several threads.
 *
 * @param <K> the values
 * @param <V> what is made of one
 */
public final class Memo<K, V> {
    private IdentityHashMap<K, V> before = new IdentityHashMap<>();
    private IdentityHashMap<K, V> now = new IdentityHashMap<>();

    /** Begins a pass. */
    public void begin() {
        before = now;
        now = new IdentityHashMap<>(before.size());
    }

    /** Forgets everything, for the function is about to become another. */
    public void forget() {
        before = new IdentityHashMap<>();
        now = new IdentityHashMap<>();
    }

    /** What the function makes of a key; it is asked only if neither this pass nor the one before has. */
    public V of(final K key, final Function<? super K, ? extends V> function) {
        V value = recall(key);
        if (value == null) {
            value = requireNonNull(function.apply(key));
            remember(key, value);
        }
        return value;
    }

    /** What is remembered of a key, and kept for the next pass; {@code null} if nothing. */
    public @Nullable V recall(final K key) {
        V value = now.get(key);
        if (value == null) {
            value = before.get(key);
            if (value != null) {
                now.put(key, value);
            }
        }
        return value;
    }

    /** Remembers a result in the place of the one that was there. */
    public void remember(final K key, final V value) {
        now.put(key, value);
    }
}
