// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.base.tls.PeerTls;
import io.penstock.base.tls.TlsFiles;
import io.penstock.southbound.openflow.wire.PrivateSwitch;
import io.penstock.testkit.Await;
import io.penstock.testkit.CertificateAuthority;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real switches with certificates at the real OpenFlowPlugin: each may be its node's alone, and not for longer. */
@Tag("hostile")
@Tag("safety")
@Timeout(720)
class SwitchTrustIT {
    private static final SwitchId EDGE1 = ConnectedSwitch.ID;

    @TempDir
    private Path directory;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    /** What the engine was asked: node and switch. */
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final Deque<AutoCloseable> ends = new ArrayDeque<>();
    /** Whose switch it is that all of these switches say they are. */
    private final AtomicReference<String> owner = new AtomicReference<>("edge1");
    private CertificateAuthority authority;
    private PluginInProcess plugin;

    @BeforeEach
    void start() throws Exception {
        authority = CertificateAuthority.in(directory.resolve("pki"));
        final Path member = authority.member("ctl1", "127.0.0.1");
        final Path store = directory.resolve("empty.jks");
        try (OutputStream file = Files.newOutputStream(store)) {
            final KeyStore empty = KeyStore.getInstance("JKS");
            empty.load(null, null);
            empty.store(file, "nothing".toCharArray());
        }
        final MdSalInProcess mdsal = new MdSalInProcess();
        ends.push(mdsal);
        plugin = new PluginInProcess(mdsal, new ListenerConfiguration(InetAddress.getLoopbackAddress(), 0,
            new ListenerConfiguration.EmptyStores(store.toString())), this::denies);
        ends.push(plugin);
        final Runnable end = plugin.southbound().believe(new PeerTls(new TlsFiles(member.resolve("certificate.pem"),
            member.resolve("key.pem"), member.resolve("ca.pem"), authority.revoked())));
        ends.push(end::run);
        plugin.southbound().listen(new ConnectionListener() {
            @Override
            public void onConnected(final SwitchId connected) {
                heard.add("connected");
            }

            @Override
            public void onDisconnected(final SwitchId disconnected) {
                heard.add("disconnected");
            }
        });
    }

    private Optional<String> denies(final String node, final SwitchId id) {
        asked.add(node + " " + id);
        return node.equals(owner.get()) ? Optional.empty() : Optional.of("it is the switch of " + owner.get());
    }

    @AfterEach
    void stop() throws Exception {
        while (!ends.isEmpty()) {
            ends.pop().close();
        }
    }

    /** A switch with the datapath id of edge1. */
    private PrivateSwitch connect(final String name, final Path files) throws Exception {
        final PrivateSwitch made = new PrivateSwitch(Files.createDirectory(directory.resolve(name)));
        ends.push(made);
        made.vsctl("set-ssl", files.resolve("key.pem").toString(), files.resolve("certificate.pem").toString(),
            files.resolve("ca.pem").toString());
        made.vsctl("set-controller", PrivateSwitch.BRIDGE, "ssl:127.0.0.1:" + plugin.port(), "--", "set", "controller",
            PrivateSwitch.BRIDGE, "max_backoff=1000");
        return made;
    }

    private void hears(final String event) throws InterruptedException {
        assertThat(heard.poll(3, TimeUnit.MINUTES)).isEqualTo(event);
    }

    private static void awaitController(final PrivateSwitch made, final String column, final String wanted) {
        Await.until(column + " of the controller: " + wanted, Duration.ofMinutes(2), () -> {
            try {
                return made.controller(column).contains(wanted);
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void asks(final String question) throws InterruptedException {
        String next;
        do {
            next = asked.poll(3, TimeUnit.MINUTES);
            assertThat(next).as("asked for " + question).isNotNull();
        } while (!question.equals(next));
    }

    @Test
    void aNodeThatSaysThatItsSwitchIsThatOfANeighbourIsRefusedAndTheNeighbourIsServed() throws Exception {
        connect("edge1", authority.node("edge1"));
        hears("connected");
        connect("edge2", authority.node("edge2"));
        asks("edge2 " + EDGE1);
        // The second attempt comes after the end of the first one.
        asks("edge2 " + EDGE1);
        assertThat(heard).as("the connection of edge1 has not ended").isEmpty();
        assertThat(plugin.southbound().readFlows(EDGE1)).succeedsWithin(2, TimeUnit.MINUTES);
    }

    @Test
    void aNodeIsCutOffWhenItIsRevokedAndComesBackWithItsNextCertificate() throws Exception {
        final Path files = authority.node("edge1");
        connect("edge1", files);
        hears("connected");
        authority.replace("node", "edge1");
        hears("disconnected");
        hears("connected");
        authority.revoke("node", "edge1");
        hears("disconnected");
        assertThat(plugin.southbound().connected()).isEmpty();
    }

    @Test
    void aNodeIsCutOffWhenTheSwitchIsItsOwnNoMore() throws Exception {
        connect("edge1", authority.node("edge1"));
        hears("connected");
        owner.set("edge2");
        hears("disconnected");
    }

    @Test
    void withoutAnEngineNoSwitchConnects() throws Exception {
        plugin.southbound().rest();
        final PrivateSwitch waiting = connect("edge1", authority.node("edge1"));
        // It was connected, and is no more.
        awaitController(waiting, "status", "sec_since_disconnect");
        assertThat(asked).isEmpty();
        assertThat(heard).isEmpty();
        plugin.southbound().lead(2, this::denies, id -> true);
        asks("edge1 " + EDGE1);
        hears("connected");
    }

    @Test
    void aMemberThatStandsByIsTheSlaveOfSwitchesThatItBelieves() throws Exception {
        plugin.southbound().rest();
        plugin.southbound().standBy(4, this::denies);
        final PrivateSwitch own = connect("edge1", authority.node("edge1"));
        awaitController(own, "role", "slave");
        // On a busy machine its first attempt may have timed out.
        final int before = sinceDisconnect(own);
        connect("edge2", authority.node("edge2"));
        asks("edge2 " + EDGE1);
        asks("edge2 " + EDGE1);
        assertThat(heard).isEmpty();

        plugin.southbound().lead(5, this::denies, id -> true);
        hears("connected");
        awaitController(own, "role", "master");
        assertThat(sinceDisconnect(own)).as("by the same connection").isGreaterThanOrEqualTo(before);

        plugin.southbound().rest();
        hears("disconnected");
        plugin.southbound().standBy(6, this::denies);
        awaitController(own, "role", "slave");
    }

    /** Seconds since a connection of the switch ended; the largest number when none has. */
    private static int sinceDisconnect(final PrivateSwitch target) throws Exception {
        final Matcher found = Pattern.compile("sec_since_disconnect=\"(\\d+)\"").matcher(target.controller("status"));
        return found.find() ? Integer.parseInt(found.group(1)) : Integer.MAX_VALUE;
    }
}
