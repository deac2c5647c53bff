// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.base.tls.PeerTls;
import io.penstock.base.tls.TlsFiles;
import io.penstock.southbound.ovsdb.OvsdbServerOptions.Patience;
import io.penstock.southbound.ovsdb.OvsdbServerOptions.Peers;
import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that are wrong, ended, foreign, revoked or another's, shown by real databases and by OpenSSL. */
@Tag("hostile")
@Timeout(720)
@Tag("safety")
class TlsPeersIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    @TempDir
    private Path directory;
    private final RecordingListener listener = new RecordingListener();
    private final List<OvsSandbox> nodes = new ArrayList<>();
    private CertificateAuthority authority;
    private Path own;
    private OvsdbServer server;
    private int handshakes;

    @BeforeEach
    void start() {
        authority = CertificateAuthority.in(directory.resolve("pki"));
        own = authority.member("ctl1", "127.0.0.1");
        start(HANDSHAKE);
    }

    /** Starts a server, which gives a handshake so much time. */
    private void start(final Duration handshake) {
        server = new OvsdbServer(new OvsdbServerOptions(new Patience(PATIENCE, handshake, PATIENCE), 1 << 20, 1 << 20,
            new Peers(64, 64, 8)), Optional.of(new PeerTls(new TlsFiles(own.resolve("certificate.pem"),
            own.resolve("key.pem"), own.resolve("ca.pem"), authority.revoked()))));
        server.start("127.0.0.1", 0);
        server.serve(listener, 1);
    }

    @AfterEach
    void stop() {
        nodes.forEach(OvsSandbox::close);
        server.close();
    }

    private OvsSandbox node(final String name, final Path files) {
        final OvsSandbox node = new OvsSandbox();
        nodes.add(node);
        node.announceByTls(name, server.port(), files);
        return node;
    }

    /** The attacker has tried; the reason is what Open vSwitch reads of the alert, or its side of a connection. */
    private static void refused(final OvsSandbox attacker, final String reason) {
        Await.until("refused: " + reason, () -> attacker.output("ovsdb-server").contains(reason));
    }

    private CompletedHandshake openssl(final String... options) {
        final List<String> words = new ArrayList<>(List.of("openssl", "s_client", "-connect",
            "127.0.0.1:" + server.port(), "-ign_eof"));
        words.addAll(List.of(options));
        final Path output = directory.resolve("handshake-" + handshakes++);
        final Process process = Shell.PLAIN.start(output, words.toArray(String[]::new));
        // It ends when the server closes; an accepted one is asked for the schema.
        Await.until("an end of the handshake", () -> Shell.printed(output).contains("get_schema")
            || !process.isAlive());
        Shell.stop(process);
        final String printed = Shell.printed(output);
        return new CompletedHandshake(printed.contains("get_schema"), printed);
    }

    private record CompletedHandshake(boolean isServed, String output) { }

    private static String[] certificate(final Path files) {
        return new String[] {"-cert", files.resolve("certificate.pem").toString(), "-key",
            files.resolve("key.pem").toString()};
    }

    @Test
    void aNodeIsServedByTlsAndOthersAreNot() {
        final Path edge1 = authority.node("edge1");
        node("edge1", edge1);
        listener.awaitNode("edge1");

        final OvsSandbox foreign = node("edge2", CertificateAuthority.in(directory.resolve("foreign")).node("edge2"));
        final OvsSandbox member = node("ctl2", authority.member("ctl2", "127.0.0.2"));
        final Path late = authority.node("late");
        authority.expire("node", "late");
        final OvsSandbox expired = node("late", late);
        final Path lost = authority.node("lost");
        authority.revoke("node", "lost");
        final OvsSandbox revoked = node("lost", lost);
        refused(foreign, "certificate verify failed");
        refused(member, "alert");
        refused(expired, "alert");
        refused(revoked, "alert");
        assertThat(listener.events).containsExactly("+edge1");
    }

    /** It says nothing: a database waits to be asked. */
    @Test
    void aNodeInPlainTextIsRefused() {
        server.close();
        start(Duration.ofMillis(500));
        final OvsSandbox plain = new OvsSandbox();
        nodes.add(plain);
        plain.announce("plain", server.port());
        refused(plain, "tcp:127.0.0.1:" + server.port() + ": connection ");
        assertThat(listener.events).isEmpty();
    }

    @Test
    void aNodeCannotAnnounceItselfAsAnother() {
        final OvsSandbox thief = node("edge1", authority.node("edge2"));
        Await.until("it is refused", () -> server.refused().stream().anyMatch(peer -> peer.name().equals("edge1")
            && peer.reason().contains("its certificate is that of node edge2")));
        assertThat(listener.events).isEmpty();
        node("edge1", authority.node("edge1"));
        listener.awaitNode("edge1");
        assertThat(thief.vsctl("list-br")).isEmpty();
    }

    @Test
    void aNodeThatIsRevokedLosesItsSession() {
        final OvsSandbox node = node("edge1", authority.node("edge1"));
        listener.awaitNode("edge1");
        authority.revoke("node", "edge1");
        refused(node, "alert");
        listener.awaitEvents("+edge1", "-edge1");
    }

    /** The database reads new files when it connects; a connection that is there stays. */
    @Test
    void newCertificatesOfBothSidesEndNoConnection() {
        final Path files = authority.node("edge1");
        node("edge1", files);
        listener.awaitNode("edge1");
        authority.renew("node", "edge1", "--new-key");
        authority.renew("member", "ctl1", "--new-key");
        final CompletedHandshake handshake = openssl(certificate(files));
        assertThat(handshake.isServed()).isTrue();
        assertThat(listener.events).containsExactly("+edge1");

        assertThat(serial(handshake.output())).isEqualTo(serial(directory.resolve("pki/member-ctl1/certificate.pem")));
    }

    /** The certificate before is revoked, so the database has to have read the next one. */
    @Test
    void aDatabaseReadsItsNewCertificate() {
        node("edge1", authority.node("edge1"));
        listener.awaitNode("edge1");
        authority.replace("node", "edge1");
        Await.until("it has been cut off and is back", () -> listener.events.size() == 3);
        assertThat(listener.events).containsExactly("+edge1", "-edge1", "+edge1");
    }

    private static String serial(final Path certificate) {
        return Shell.PLAIN.run("openssl", "x509", "-in", certificate.toString(), "-noout", "-serial");
    }

    private String serial(final String text) {
        final int begin = text.indexOf("-----BEGIN CERTIFICATE-----");
        try {
            return serial(Files.writeString(directory.resolve("shown.pem"), text.substring(begin)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void weakHandshakesAreRefusedAlsoFromNodes() {
        final Path files = authority.node("edge1");
        for (final String options : List.of("-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1 -cipher DEFAULT@SECLEVEL=0",
                "-tls1_2 -cipher NULL:@SECLEVEL=0", "-tls1_2 -cipher aNULL:@SECLEVEL=0",
                "-tls1_2 -cipher AES128-SHA:@SECLEVEL=0")) {
            final List<String> words = new ArrayList<>(List.of(certificate(files)));
            words.addAll(List.of(options.split(" ")));
            final CompletedHandshake handshake = openssl(words.toArray(String[]::new));
            assertThat(handshake.isServed()).as(options).isFalse();
            assertThat(handshake.output()).as(options).contains("alert");
        }
    }

    @Test
    void onlyGoodHandshakesAreServed() {
        final Path files = authority.node("edge1");
        for (final String version : List.of("-tls1_2", "-tls1_3")) {
            assertThat(openssl("-cert", files.resolve("certificate.pem").toString(), "-key",
                files.resolve("key.pem").toString(), version).isServed()).isTrue();
            assertThat(openssl(version).isServed()).isFalse();
        }
    }

    @Test
    void aHandshakeThatStopsIsCutOff() throws Exception {
        server.close();
        start(Duration.ofMillis(500));
        for (final byte[] begin : List.of(new byte[] {0x16, 3, 1, 1, 0},
                "{\"method\":\"echo\"}".getBytes(StandardCharsets.US_ASCII))) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                socket.setSoTimeout(60_000);
                socket.getOutputStream().write(begin);
                final InputStream answer = socket.getInputStream();
                assertThat(new String(answer.readAllBytes(), StandardCharsets.ISO_8859_1)).doesNotContain("schema");
            }
        }
    }

    @Test
    void filesThatAreHalfReplacedLetNodesInAsBefore() throws Exception {
        final Path key = directory.resolve("pki/member-ctl1/key.pem");
        final Path before = Files.copy(key, directory.resolve("before"));
        authority.renew("member", "ctl1", "--new-key");
        Files.copy(before, key, StandardCopyOption.REPLACE_EXISTING);
        node("edge1", authority.node("edge1"));
        listener.awaitNode("edge1");
    }
}
