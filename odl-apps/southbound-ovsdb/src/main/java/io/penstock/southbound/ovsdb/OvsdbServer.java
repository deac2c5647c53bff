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
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.penstock.base.tls.PeerTls;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opendaylight.ovsdb.lib.jsonrpc.JsonRpcEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the nodes' database connections on one address. Started once and closed once.
 *
 * <p>Threads: two for input and output, one that plans, and one for each peer while it has something to say. None is
 * left after {@link #close} but the library's three daemon timer threads, which are shared by the whole process.
 */
public final class OvsdbServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OvsdbServer.class);
    private static final int IO_THREADS = 2;
    private static final long IDLE_THREAD_SECONDS = 5;
    private static final long CLOSE_SECONDS = 10;
    private static final long RECHECK_SECONDS = 3;

    private final OvsdbServerOptions options;
    private final Optional<PeerTls> tls;
    private final Admission admission;
    private final NodeRegistry claims = new NodeRegistry();
    private final OnceLog troubles = new OnceLog(LOG);
    private final Set<NodeConnection> connections = ConcurrentHashMap.newKeySet();
    @SuppressWarnings("NullAway.Init") // by start()
    private EventLoopGroup ioThreads;
    @SuppressWarnings("NullAway.Init")
    private ExecutorService planner;
    private @Nullable Channel serverChannel;
    private volatile @Nullable Audience audience;
    private boolean closed;

    /** Creates a server with the usual times and bounds, for connections in plain text. */
    public OvsdbServer() {
        this(OvsdbServerOptions.DEFAULT);
    }

    /** Creates a server with other times and bounds, for connections in plain text. */
    public OvsdbServer(final OvsdbServerOptions options) {
        this(options, Optional.empty());
    }

    /**
     * Creates a server with other times and bounds.
     *
     * @param tls of all connections; they are in plain text without it
     */
    public OvsdbServer(final OvsdbServerOptions options, final Optional<PeerTls> tls) {
        this.options = requireNonNull(options);
        this.tls = requireNonNull(tls);
        admission = new Admission(options);
    }

    /**
     * Opens the port. Connections are taken only on this address, not on every address of the machine. Nodes wait until
     * there is an engine to {@link #serve}.
     *
     * @param listenAddress address of this machine
     * @param port TCP port, 6640 by custom; 0 for any free one
     * @throws OvsdbException if the address or port cannot be had; it may be tried again
     */
    public synchronized void start(final String listenAddress, final int port) {
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
                    accept(channel);
                }
            })
            .bind(new InetSocketAddress(listenAddress, port)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stopThreads();
            throw new OvsdbException("cannot listen for OVSDB on " + listenAddress + " port " + port, bound.cause());
        }
        serverChannel = bound.channel();
        if (tls.isPresent()) {
            // A certificate that ends, or is revoked, ends what its node may do, not only its next connection.
            ioThreads.scheduleWithFixedDelay(this::reconsider, RECHECK_SECONDS, RECHECK_SECONDS, TimeUnit.SECONDS);
        }
        LOG.info("Listening for OVSDB on {}, {}", serverChannel.localAddress(),
            tls.isPresent() ? "by TLS" : "in plain text");
    }

    /**
     * Gives the nodes to an engine, those that are connected and those that connect, until {@link #rest}.
     *
     * @param listener told of the nodes
     * @param epoch of the mastership of the engine: nodes take orders of it, and no longer of one with a smaller epoch
     */
    public void serve(final OvsdbListener listener, final long epoch) {
        audience = new Audience(listener, epoch);
        reconsider();
    }

    /**
     * Takes the nodes from the engine, and waits until it has been told that each of them is gone. They stay connected,
     * for another engine. Not to be called from a listener.
     */
    public void rest() {
        audience = null;
        await(connections.stream().map(NodeConnection::reconsider));
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
        await(connections.stream().map(NodeConnection::ended));
        stopThreads();
    }

    private static void await(final Stream<CompletableFuture<?>> last) {
        try {
            CompletableFuture.allOf(last.toArray(CompletableFuture[]::new)).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("A listener is still busy with a node that has disconnected", e);
        }
    }

    private void stopThreads() {
        planner.shutdown();
        ioThreads.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void accept(final SocketChannel socket) {
        final String address = socket.remoteAddress().getAddress().getHostAddress();
        if (!admission.enter(address)) {
            troubles.warn(address, "refused: too many connections");
            socket.close();
            return;
        }
        socket.closeFuture().addListener(ignored -> admission.leave(address));
        final Optional<PeerIdentity> identity = tls.map(peers -> {
            final SslHandler handler = new SslHandler(peers.server());
            socket.pipeline().addLast(handler);
            return new PeerIdentity(peers, handler.engine());
        });
        final PeerChannel channel = new PeerChannel(socket, identity, options);
        final NodeConnection connection = new NodeConnection(channel,
            singleThread("penstock-ovsdb-node-" + channel.address()), planner, claims, () -> audience, troubles,
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
