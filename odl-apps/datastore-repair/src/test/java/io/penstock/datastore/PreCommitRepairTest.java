// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objenesis.Objenesis;
import org.objenesis.ObjenesisStd;
import org.opendaylight.yangtools.yang.common.Empty;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateTip;
import org.osgi.framework.hooks.weaving.WeavingException;

/** With the classes of OpenDaylight as they are delivered: what a late verdict does to a shard's queue and tip. */
@Tag("safety")
class PreCommitRepairTest {
    /** Makes objects without a constructor: those of the classes ask for an actor. Its cache goes by names. */
    private static final Objenesis BARE = new ObjenesisStd(false);
    private static final String PACKAGE = "org.opendaylight.controller.cluster.datastore.";

    @Test
    void withoutTheRepairALateVerdictIsTheTip() throws Exception {
        final Shard shard = new Shard(UnaryOperator.identity());
        final Object given = shard.entry();

        assertInstanceOf(NoSuchElementException.class, shard.succeed(given), "if this passes, the repair may go");
        assertSame(shard.candidate, shard.tip());
    }

    @Test
    void aVerdictOnATransactionThatWasGivenAwayChangesNothing() throws Exception {
        final Shard shard = new Shard(PreCommitRepair::guarded);
        final Object given = shard.entry();

        assertNull(shard.succeed(given));
        assertNull(shard.fail(given));
        assertNull(shard.tip());

        final Object next = shard.entry();
        shard.pending.add(next);
        assertNull(shard.succeed(given));
        assertNull(shard.fail(given));
        assertNull(shard.tip());
        assertEquals(List.of(next), List.copyOf(shard.pending));
        assertEquals(List.of(), List.copyOf(shard.commits));
    }

    @Test
    void aVerdictOnTheFirstTransactionIsTaken() throws Exception {
        final Shard shard = new Shard(PreCommitRepair::guarded);
        final Object first = shard.entry();
        shard.pending.add(first);

        // It goes on to the transaction's cohort, which this shard has none of.
        assertInstanceOf(NullPointerException.class, shard.succeed(first));
        assertSame(shard.candidate, shard.tip());
        assertEquals(List.of(), List.copyOf(shard.pending));
        assertEquals(List.of(first), List.copyOf(shard.commits));

        shard.pending.add(first);
        assertInstanceOf(NullPointerException.class, shard.fail(first));
    }

    @Test
    void aClassOfAnotherShapeIsRefused() throws Exception {
        final byte[] other = Woven.bytes(PACKAGE + "ShardDataTree$2");
        assertTrue(assertThrows(WeavingException.class, () -> PreCommitRepair.guarded(other)).getMessage()
            .contains("val$entry"));
    }

    /** The part of a shard that the callback touches. */
    private static final class Shard {
        final Deque<Object> pending = new ArrayDeque<>();
        final Queue<Object> commits = new ArrayDeque<>();
        final Object candidate = Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {DataTreeCandidateTip.class}, (proxy, method, arguments) -> null);
        private final Class<?> type;
        private final Class<?> entries;
        private final Constructor<?> newCallback;
        private final Object tree;

        Shard(final UnaryOperator<byte[]> weave) throws Exception {
            // The whole package: its classes see each other only if one loader has defined them.
            final ClassLoader loader = new Woven(PreCommitRepair.CALLBACK, weave,
                name -> name.startsWith(PACKAGE) && name.indexOf('.', PACKAGE.length()) < 0);
            type = loader.loadClass(PACKAGE + "ShardDataTree");
            entries = loader.loadClass(PACKAGE + "ShardDataTree$CommitEntry");
            newCallback = loader.loadClass(PreCommitRepair.CALLBACK).getDeclaredConstructors()[0];
            newCallback.setAccessible(true);
            tree = BARE.newInstance(type);
            field("pendingTransactions").set(tree, pending);
            field("pendingCommits").set(tree, commits);
            field("shard").set(tree, BARE.newInstance(loader.loadClass(PACKAGE + "Shard")));
        }

        private Field field(final String name) throws ReflectiveOperationException {
            final Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }

        Object tip() throws ReflectiveOperationException {
            return field("tip").get(tree);
        }

        Object entry() {
            return BARE.newInstance(entries);
        }

        /** Gives the verdict on a transaction; returns what is thrown. */
        Throwable succeed(final Object entry) throws ReflectiveOperationException {
            return call(entry, "onSuccess", Empty.class, Empty.value());
        }

        Throwable fail(final Object entry) throws ReflectiveOperationException {
            return call(entry, "onFailure", Throwable.class, new IllegalStateException("refused"));
        }

        private Throwable call(final Object entry, final String name, final Class<?> argument, final Object value)
                throws ReflectiveOperationException {
            final Object callback = newCallback.newInstance(tree, candidate, entry, null, null);
            final Method method = callback.getClass().getDeclaredMethod(name, argument);
            method.setAccessible(true);
            try {
                method.invoke(callback, value);
                return null;
            } catch (final InvocationTargetException thrown) {
                return thrown.getCause();
            }
        }
    }
}
