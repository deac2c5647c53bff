// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import com.google.common.base.Throwables;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The real southbound, with a list of what was asked of it, and with failures and waits on demand. */
final class WatchedSouthbound {
    private final OpenFlowSouthbound real;
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean losing;
    private volatile SwitchId held;
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Something that was asked of a switch. */
    private record Call(SwitchId target, String method, int arguments) { }

    WatchedSouthbound(final OpenFlowSouthbound real) {
        this.real = real;
    }

    /** What the engine is to use. */
    OpenFlowSouthbound southbound() {
        return (OpenFlowSouthbound) Proxy.newProxyInstance(OpenFlowSouthbound.class.getClassLoader(),
            new Class<?>[] {OpenFlowSouthbound.class}, (proxy, method, arguments) -> call(method, arguments));
    }

    private Object call(final Method method, final Object[] arguments)
            throws InterruptedException, IllegalAccessException {
        if (arguments != null && arguments[0] instanceof SwitchId target) {
            calls.add(new Call(target, method.getName(), arguments.length));
            if (losing && method.getName().equals("flush")) {
                return new CompletableFuture<>();
            }
            if (method.getName().equals("apply")) {
                if (target.equals(held)) {
                    gate.await();
                }
                if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    return CompletableFuture.failedFuture(new IllegalStateException("made to fail"));
                }
            }
        }
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            Throwables.throwIfUnchecked(e.getCause());
            throw new IllegalStateException(e);
        }
    }

    /** Forgets what was asked. */
    void clear() {
        calls.clear();
    }

    /** Changes and complete readings of the flows of one switch, in their order: {@code apply} and {@code read}. */
    List<String> steps(final SwitchId id) {
        return calls.stream().filter(call -> call.target().equals(id) && (call.method().equals("apply")
                || call.method().equals("readFlows") && call.arguments() == 1))
            .map(call -> call.method().equals("apply") ? "apply" : "read").toList();
    }

    /** Whether flows or meters of a switch were read. */
    boolean isRead(final SwitchId id) {
        return calls.stream().anyMatch(call -> call.target().equals(id) && call.method().startsWith("read"));
    }

    /** Has the next changes fail before they reach the switch. */
    void failNext(final int changes) {
        failures.set(changes);
    }

    /** Has what switches are to forget stay here, as when the controller ends before it has sent it. */
    void loseFlushes(final boolean wanted) {
        losing = wanted;
    }

    /** Whether a switch was told to forget something. */
    boolean isFlushed(final SwitchId id) {
        return calls.stream().anyMatch(call -> call.target().equals(id) && call.method().equals("flush"));
    }

    /** Has changes of a switch wait until they are released. */
    void hold(final SwitchId target) {
        gate = new CountDownLatch(1);
        held = target;
    }

    /** Lets changes go. */
    void release() {
        gate.countDown();
    }
}
