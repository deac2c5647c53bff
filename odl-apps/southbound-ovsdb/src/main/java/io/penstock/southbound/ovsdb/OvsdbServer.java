// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.opendaylight.ovsdb.lib.jsonrpc.JsonRpcEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the nodes' database connections, plain TCP, on one address. Started once and closed once.
 *
 * <p>Threads: two for input and output, one that plans, and one for each peer while it has something to say. None is
 * left after {@link #close} but the library's three daemon timer threads, which are shared by the whole process.
 */
public final class OvsdbServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OvsdbServer.class);
    private static final int IO_THREADS = 2;
    private static final long IDLE_THREAD_SECONDS = 5;
    private static final long CLOSE_SECONDS = 10;

    private final OvsdbServerOptions options;
    private final Admission admission;
    private final NodeRegistry claims = new NodeRegistry();
    private final OnceLog troubles = new OnceLog(LOG);
    private final Set<NodeConnection> connections = ConcurrentHashMap.newKeySet();
    @SuppressWarnings("NullAway.Init") // by start()
    private EventLoopGroup ioThreads;
    @SuppressWarnings("NullAway.Init")
    private ExecutorService planner;
    private @Nullable Channel serverChannel;
    private boolean closed;

    /** Creates a server with the usual times and bounds. */
    public OvsdbServer() {
        this(OvsdbServerOptions.DEFAULT);
    }

    /** Creates a server with other times and bounds. */
    public OvsdbServer(final OvsdbServerOptions options) {
        this.options = requireNonNull(options);
        admission = new Admission(options);
    }

    /**
     * Opens the port. Connections are taken only on this address, not on every address of the machine.
     *
     * @param listenAddress address of this machine
     * @param port TCP port, 6640 by custom; 0 for any free one
     * @throws OvsdbException if the address or port cannot be had; it may be tried again
     */
    public synchronized void start(final String listenAddress, final int port, final OvsdbListener listener) {
        requireNonNull(listener);
        if (closed || serverChannel != null) {
            throw new IllegalStateException(closed ? "closed" : "started already");
        }
        // Static in the library, and 1 s by default: a transaction that took longer would be given up, yet be done.
        JsonRpcEndpoint.setReaperInterval(Math.toIntExact(options.patience().request().toMillis()));
        ioThreads = new NioEventLoopGroup(IO_THREADS, new DefaultThreadFactory("penstock-ovsdb-io", true));
        planner = singleThread("penstock-ovsdb-plan");
        final ChannelFuture bound = new ServerBootstrap().group(ioThreads).channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(final SocketChannel channel) {
                    accept(channel, listener);
                }
            })
            .bind(new InetSocketAddress(listenAddress, port)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stopThreads();
            throw new OvsdbException("cannot listen for OVSDB on " + listenAddress + " port " + port, bound.cause());
        }
        serverChannel = bound.channel();
        LOG.info("Listening for OVSDB on {}", serverChannel.localAddress());
    }

    /** The TCP port in use, for a server started on port 0. */
    public synchronized int port() {
        if (serverChannel == null) {
            throw new IllegalStateException("not started");
        }
        return ((InetSocketAddress) serverChannel.localAddress()).getPort();
    }

    /** Asks the listener again which peers it believes. Returns at once. */
    public void reconsider() {
        connections.forEach(NodeConnection::reconsider);
    }

    /** Peers that announce themselves as nodes and that the listener does not believe. */
    public List<RefusedPeer> refused() {
        final Map<String, RefusedPeer> refused = new TreeMap<>();
        connections.stream().flatMap(peer -> peer.refusal().stream())
            .forEach(peer -> refused.put(peer.name() + " " + peer.address(), peer));
        return List.copyOf(refused.values());
    }

    /**
     * Closes the port and all connections, and waits until the listener has been told that every node is gone. Not to
     * be called from a listener.
     */
    @Override
    public synchronized void close() {
        closed = true;
        if (serverChannel == null) {
            return;
        }
        serverChannel.close().awaitUninterruptibly();
        serverChannel = null;
        connections.forEach(NodeConnection::shutDown);
        final CompletableFuture<?>[] last =
            connections.stream().map(NodeConnection::ended).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(last).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("A listener is still busy with a node that has disconnected", e);
        }
        stopThreads();
    }

    private void stopThreads() {
        planner.shutdown();
        ioThreads.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void accept(final SocketChannel socket, final OvsdbListener listener) {
        final String address = socket.remoteAddress().getAddress().getHostAddress();
        if (!admission.enter(address)) {
            troubles.warn(address, "refused: too many connections");
            socket.close();
            return;
        }
        socket.closeFuture().addListener(ignored -> admission.leave(address));
        final PeerChannel channel = new PeerChannel(socket, options);
        final NodeConnection connection = new NodeConnection(channel,
            singleThread("penstock-ovsdb-node-" + channel.address()), planner, claims, listener, troubles,
            admission, options);
        connections.add(connection);
        connection.ended().thenRun(() -> connections.remove(connection));
        connection.start(options.patience().handshake());
    }

    /** One thread that exists only while there is work, and in which tasks run in their order. */
    private static ExecutorService singleThread(final String name) {
        final ThreadPoolExecutor result = new ThreadPoolExecutor(1, 1, IDLE_THREAD_SECONDS, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), new DefaultThreadFactory(name, true));
        result.allowCoreThreadTimeOut(true);
        return result;
    }
}
