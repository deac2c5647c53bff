// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.osgi.framework.hooks.weaving.WeavingException;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a shard of the datastore pass over verdicts of commit cohorts on transactions that it has given away.
 *
 * <p>Cohorts judge a transaction while the shard goes on. When the shard loses the leadership meanwhile, it hands its
 * transactions to the next leader and empties its queues. The verdict that comes afterwards makes the candidate of that
 * transaction the tip of the data tree all the same ({@code ShardDataTree.startPreCommit}, sal-distributed-datastore
 * 7.0.11), and takes the first transaction out of the queue, whichever that is by then. A shard that leads again later
 * compares each change with that tip, and refuses it as a conflict, without end.
 *
 * <p>Both methods of the callback begin with: if this transaction is not the first one in the queue, return.
 *
 * <p>Thread-safe. A class of another shape is refused: the controller does not become ready without the datastore, and
 * that is better than the defect.
 */
public final class PreCommitRepair implements WeavingHook {
    static final String CALLBACK = "org.opendaylight.controller.cluster.datastore.ShardDataTree$1";

    private static final Logger LOG = LoggerFactory.getLogger(PreCommitRepair.class);
    private static final String TREE = "org/opendaylight/controller/cluster/datastore/ShardDataTree";
    private static final String OWN = TREE + "$1";
    private static final String ENTRY = "L" + TREE + "$CommitEntry;";
    private static final Set<String> FIELDS = Set.of("this$0 L" + TREE + ";", "val$entry " + ENTRY);
    private static final Set<String> METHODS = Set.of("onSuccess (Lorg/opendaylight/yangtools/yang/common/Empty;)V",
        "onFailure (Ljava/lang/Throwable;)V");

    @Override
    public void weave(final WovenClass woven) {
        if (CALLBACK.equals(woven.getClassName())) {
            woven.setBytes(guarded(woven.getBytes()));
            LOG.info("{} passes over verdicts on transactions that it has given away", TREE);
        }
    }

    /**
     * Returns the class with the guard in both methods.
     *
     * @throws WeavingException if it lacks a field or a method that the guard needs
     */
    static byte[] guarded(final byte[] original) {
        final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        final Guards guards = new Guards(writer);
        new ClassReader(original).accept(guards, 0);
        if (!guards.missing.isEmpty()) {
            throw new WeavingException(CALLBACK + " is not of the release that the repair is made for: it lacks "
                + guards.missing);
        }
        return writer.toByteArray();
    }

    private static final class Guards extends ClassVisitor {
        private final Set<String> missing = new HashSet<>(FIELDS);

        Guards(final ClassVisitor next) {
            super(Opcodes.ASM9, next);
            missing.addAll(METHODS);
        }

        @Override
        public FieldVisitor visitField(final int access, final String name, final String descriptor,
                final String signature, final Object value) {
            missing.remove(name + " " + descriptor);
            return super.visitField(access, name, descriptor, signature, value);
        }

        @Override
        public MethodVisitor visitMethod(final int access, final String name, final String descriptor,
                final String signature, final String[] exceptions) {
            final MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (!METHODS.contains(name + " " + descriptor)) {
                return method;
            }
            missing.remove(name + " " + descriptor);
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    guard(this);
                }
            };
        }

        private static void guard(final MethodVisitor method) {
            final Label first = new Label();
            method.visitVarInsn(Opcodes.ALOAD, 0);
            method.visitFieldInsn(Opcodes.GETFIELD, OWN, "this$0", "L" + TREE + ";");
            method.visitFieldInsn(Opcodes.GETFIELD, TREE, "pendingTransactions", "Ljava/util/Deque;");
            method.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/util/Deque", "peek", "()Ljava/lang/Object;", true);
            method.visitVarInsn(Opcodes.ALOAD, 0);
            method.visitFieldInsn(Opcodes.GETFIELD, OWN, "val$entry", ENTRY);
            method.visitJumpInsn(Opcodes.IF_ACMPEQ, first);
            method.visitInsn(Opcodes.RETURN);
            method.visitLabel(first);
            method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }
    }
}
