// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.osgi.framework.hooks.weaving.WeavingException;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the journal of the datastore read the end of a segment once, and not once for each entry.
 *
 * <p>A segment is scanned when a member starts, and when it is full. While less than the largest entry, 16 MB, is left
 * in the buffer, the scan reads what follows ({@code FileChannelJournalSegmentWriter.reset}, atomix-storage 7.0.11).
 * Where nothing follows, in the last 16 MB of the file, it reads the same again for each entry: half a terabyte, if
 * entries are small. That takes minutes, in which the shard stores nothing.
 *
 * <p>Both comparisons get a second condition: there is more in the file than in the buffer.
 *
 * <p>Thread-safe. A class of another shape is refused: the controller does not become ready without the datastore, and
 * that is better than the defect.
 */
public final class JournalScanRepair implements WeavingHook {
    static final String WRITER = "io.atomix.storage.journal.FileChannelJournalSegmentWriter";

    private static final Logger LOG = LoggerFactory.getLogger(JournalScanRepair.class);
    private static final String OWN = WRITER.replace('.', '/');
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String BUFFER = "java/nio/ByteBuffer";
    private static final int COMPARISONS = 2;

    @Override
    public void weave(final WovenClass woven) {
        if (WRITER.equals(woven.getClassName())) {
            woven.setBytes(bounded(woven.getBytes()));
            LOG.info("{} reads the end of a segment once", OWN);
        }
    }

    /**
     * Returns the class with the second condition.
     *
     * @throws WeavingException if it has not the two comparisons
     */
    static byte[] bounded(final byte[] original) {
        final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        final Comparisons comparisons = new Comparisons(writer);
        new ClassReader(original).accept(comparisons, 0);
        if (comparisons.found != COMPARISONS) {
            throw new WeavingException(WRITER + " is not of the release that the repair is made for: it has "
                + comparisons.found + " comparisons with the largest entry, not " + COMPARISONS);
        }
        return writer.toByteArray();
    }

    private static final class Comparisons extends ClassVisitor {
        private int found;

        Comparisons(final ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(final int access, final String name, final String descriptor,
                final String signature, final String[] exceptions) {
            final MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
            return !"reset".equals(name) || !"(J)V".equals(descriptor) ? method
                : new MethodVisitor(Opcodes.ASM9, method) {
                    private boolean isLargestEntry;

                    /** The instruction that skips the reading, if the last field that was read is the largest entry. */
                    @Override
                    public void visitJumpInsn(final int opcode, final Label label) {
                        super.visitJumpInsn(opcode, label);
                        if (opcode == Opcodes.IF_ICMPGE && isLargestEntry) {
                            found++;
                            skipAtTheEnd(mv, label);
                        }
                        isLargestEntry = false;
                    }

                    @Override
                    public void visitFieldInsn(final int opcode, final String owner, final String field,
                            final String type) {
                        super.visitFieldInsn(opcode, owner, field, type);
                        isLargestEntry = "maxEntrySize".equals(field);
                    }
                };
        }

        /** The buffer has what begins at the position of the channel. */
        private static void skipAtTheEnd(final MethodVisitor method, final Label label) {
            field(method, "channel", CHANNEL);
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, CHANNEL, "position", "()J", false);
            field(method, "memory", BUFFER);
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, BUFFER, "limit", "()I", false);
            method.visitInsn(Opcodes.I2L);
            method.visitInsn(Opcodes.LADD);
            field(method, "channel", CHANNEL);
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, CHANNEL, "size", "()J", false);
            method.visitInsn(Opcodes.LCMP);
            method.visitJumpInsn(Opcodes.IFGE, label);
        }

        private static void field(final MethodVisitor method, final String name, final String type) {
            method.visitVarInsn(Opcodes.ALOAD, 0);
            method.visitFieldInsn(Opcodes.GETFIELD, OWN, name, "L" + type + ";");
        }
    }
}
