// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which RPCs are answered. Those that read switches have few, since all flows of all nodes are in memory
 * once for each; the others do not wait for them. Safe for all threads.
 */
public final class RpcThreads implements AutoCloseable {
    /** RPCs that read switches at the same time. */
    static final int READERS = 4;
    /** Those that wait for them; an executor refuses more. */
    static final int WAITING = 64;
    private static final int IDLE_SECONDS = 60;

    private final ExecutorService others = Executors.newCachedThreadPool(RpcThreads::thread);
    private final ThreadPoolExecutor readers = new ThreadPoolExecutor(READERS, READERS, IDLE_SECONDS,
        TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), RpcThreads::thread);

    /** Threads that are made when they are needed. */
    public RpcThreads() {
        readers.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(final Runnable task) {
        final Thread thread = new Thread(task, "penstock-rpc");
        thread.setDaemon(true);
        return thread;
    }

    /** For RPCs that read switches. */
    Executor readers() {
        return readers;
    }

    /** For all others that may block. */
    Executor others() {
        return others;
    }

    @Override
    public void close() {
        readers.shutdownNow();
        others.shutdownNow();
    }
}
