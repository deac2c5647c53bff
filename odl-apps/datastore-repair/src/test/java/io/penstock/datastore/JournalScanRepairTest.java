// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.hooks.weaving.WeavingException;

/** With the classes of OpenDaylight as they are delivered: how much is read when a segment of 1 MB is full. */
class JournalScanRepairTest {
    private static final long FEW_TIMES = 20L << 20;
    private static final String STORAGE = "io.atomix.";

    @TempDir
    private Path directory;

    @SuppressWarnings("unchecked")
    private long bytesRead(final UnaryOperator<byte[]> weave) throws ReflectiveOperationException {
        final ClassLoader loader = new Woven(JournalScanRepair.WRITER, weave,
            name -> name.startsWith(STORAGE) || name.startsWith(FullSegments.class.getName()));
        return ((ToLongFunction<Path>) loader.loadClass(FullSegments.class.getName()).getDeclaredConstructor()
            .newInstance()).applyAsLong(directory);
    }

    @Test
    void withoutTheRepairTheEndIsReadForEachEntry() throws Exception {
        final long read = bytesRead(UnaryOperator.identity());
        assertTrue(read > 10 * FEW_TIMES, () -> read + " bytes: if this fails, the repair may go");
    }

    @Test
    void theEndIsReadOnce() throws Exception {
        final long read = bytesRead(JournalScanRepair::bounded);
        assertTrue(read < FEW_TIMES, () -> read + " bytes");
    }

    @Test
    void anotherClassIsRefused() throws Exception {
        final byte[] other = Woven.bytes(JournalScanRepairTest.class.getName());
        assertTrue(assertThrows(WeavingException.class, () -> JournalScanRepair.bounded(other)).getMessage()
            .contains("it has 0 comparisons with the largest entry"));
    }
}
