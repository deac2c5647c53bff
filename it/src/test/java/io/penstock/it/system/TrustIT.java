// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The built distribution with certificates: each of its ports, and certificates that are no good at them. */
@Tag("safety")
@Tag("system")
@Tag("hostile")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TrustIT {
    /** How long a connection that is taken is kept. */
    private static final int TAKEN_SECONDS = 1;
    /** One that is refused ends at once, on a machine that has time for it. */
    private static final int REFUSED_SECONDS = 60;
    private static final Duration LIMIT = Await.PATIENCE;
    /** Exit code of timeout(1). */
    private static final int TIMED_OUT = 124;

    private static TestRun run;
    private static TlsController controller;

    /** Of the node of a test. */
    private final TestRun place = new TestRun();

    @BeforeAll
    static void start() {
        run = new TestRun();
        controller = new TlsController(run);
    }

    @AfterAll
    static void stop() {
        run.close();
    }

    @AfterEach
    void stopNode() {
        place.close();
    }

    /** What OpenSSL says of a handshake with a port of the controller that a client with these files begins. */
    private static String handshake(final String address, final int port, final Path files) {
        return attempt(TAKEN_SECONDS, address, port, files).output();
    }

    private static Shell.Result attempt(final int seconds, final String address, final int port, final Path files,
            final String... options) {
        final List<String> words = new ArrayList<>(List.of("timeout", Integer.toString(seconds), "openssl", "s_client",
            "-ign_eof", "-connect", address + ":" + port, "-cert", files.resolve("certificate.pem").toString(), "-key",
            files.resolve("key.pem").toString()));
        words.addAll(List.of(options));
        return Shell.PLAIN.attempt(words.toArray(String[]::new));
    }

    private static void refuses(final Path files, final String... options) {
        for (final int port : List.of(controller.openflow(), controller.ovsdb())) {
            assertThat(attempt(REFUSED_SECONDS, "127.0.0.1", port, files, options).output()).as("port %d", port)
                .contains("SSL alert number");
        }
    }

    private static String serial(final Path machine) {
        return Shell.PLAIN.run("openssl", "x509", "-noout", "-serial", "-in",
            machine.resolve("certificate.pem").toString());
    }

    private static boolean isConnected(final OvsSandbox node) {
        return node.vsctl("--columns=is_connected", "list", "Controller").contains("true")
            && node.vsctl("--columns=is_connected", "list", "Manager").contains("true");
    }

    @Test
    void aNodeIsServedByTlsAndKeepsItsConnectionsOverRenewals() {
        final Path files = controller.authority().node("edge1");
        final OvsSandbox node = controller.node(place, "edge1", files);
        Await.until("both connections", LIMIT, () -> isConnected(node));
        assertThat(node.vsctl("get-controller", Constants.BRIDGE).strip())
            .isEqualTo("ssl:127.0.0.1:" + controller.openflow());
        Await.until("flows", LIMIT, () -> node.ofctl("dump-flows", Constants.BRIDGE).lines().count() > 10);

        controller.authority().renew("node", "edge1", "--new-key");
        controller.authority().renew("member", TlsController.MEMBER, "--new-key");
        final String renewed = serial(controller.member());
        Await.until("HTTPS has the new certificate", LIMIT, () -> serialAt(TlsController.NORTHBOUND,
            controller.restconf(), files).equals(renewed));
        for (final int port : List.of(controller.openflow(), controller.ovsdb())) {
            assertThat(serialAt("127.0.0.1", port, files)).isEqualTo(renewed);
        }
        assertThat(isConnected(node)).isTrue();
        assertThat(node.vsctl("--columns=status", "list", "Controller")).doesNotContain("sec_since_disconnect");

    }

    /** The certificate before is revoked, so the switch has to have read the next one. */
    @Test
    @Tag("deep")
    @Tag("trust")
    void aSwitchReadsItsNewCertificate() {
        final OvsSandbox node = controller.node(place, "edge3", controller.authority().node("edge3"));
        Await.until("both connections", LIMIT, () -> isConnected(node));
        final String target = node.vsctl("get-controller", Constants.BRIDGE).strip();
        controller.authority().replace("node", "edge3");
        node.vsctl("set-controller", Constants.BRIDGE, "tcp:127.0.0.1:1");
        Await.until("the switch is not connected", LIMIT, () -> !isConnected(node));
        node.vsctl("set-controller", Constants.BRIDGE, target);
        Await.until("both are connected again", LIMIT, () -> isConnected(node));
    }

    private static String serialAt(final String address, final int port, final Path files) {
        return Shell.PLAIN.attempt("sh", "-c", "timeout 60 openssl s_client -connect \"$1:$2\" -cert \"$3\" "
            + "-key \"$4\" < /dev/null 2> /dev/null | openssl x509 -noout -serial", "sh", address,
            Integer.toString(port), files.resolve("certificate.pem").toString(), files.resolve("key.pem").toString())
            .output();
    }

    @Test
    void certificatesThatAreNoGoodAreRefusedAtEachPort() {
        final CertificateAuthority authority = controller.authority();
        final Path good = authority.node("good");
        assertThat(handshake("127.0.0.1", controller.openflow(), good)).doesNotContain("SSL alert number");
        refuses(controller.member());
        refuses(CertificateAuthority.in(run.directory().resolve("foreign")).node("good"));
        final Path late = authority.node("late");
        authority.expire("node", "late");
        refuses(late);
        authority.revoke("node", "good");
        refuses(good);
    }

    /** Akka ends the connection of a stranger; that of a member stays until it is timed out here. */
    @Test
    void membersTakeMembersAlone() {
        final CertificateAuthority authority = controller.authority();
        assertThat(isKept(authority.member("ctl2", "127.0.0.1"))).isTrue();
        ends(authority.node("insider"));
        ends(CertificateAuthority.in(run.directory().resolve("other")).member(TlsController.MEMBER, "127.0.0.1"));
        ends(authority.member("ctl3", "127.0.0.1"), "-tls1_2");
        final Path late = authority.member("ctl4", "127.0.0.1");
        authority.expire("member", "ctl4");
        ends(late);
    }

    private static boolean isKept(final Path files) {
        return attempt(TAKEN_SECONDS, "127.0.0.1", controller.cluster(), files).status() == TIMED_OUT;
    }

    private static void ends(final Path files, final String... options) {
        assertThat(attempt(REFUSED_SECONDS, "127.0.0.1", controller.cluster(), files, options).status())
            .isNotEqualTo(TIMED_OUT);
    }

    @Test
    @Tag("deep")
    @Tag("trust")
    void oldVersionsAndWeakCiphersAreRefusedAtEachPort() {
        final Path good = controller.authority().node("weak");
        for (final String options : List.of("-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher NULL@SECLEVEL=0",
                "-tls1_2 -cipher aNULL@SECLEVEL=0", "-tls1_2 -cipher AES128-SHA@SECLEVEL=0",
                "-tls1_2 -cipher AES128-GCM-SHA256")) {
            refuses(good, options.split(" "));
            assertThat(attempt(REFUSED_SECONDS, TlsController.NORTHBOUND, controller.restconf(), good,
                options.split(" ")).output()).contains("SSL alert number");
        }
    }

    @Test
    void aNodeWithTheNameOfAnotherGetsNoBridge() {
        final OvsSandbox thief = controller.node(place, "victim", controller.authority().node("thief"));
        Await.until("it is refused", LIMIT, () -> controller.log().contains("its certificate is that of node thief"));
        assertThat(thief.vsctl("list-br")).isEmpty();
        assertThat(controller.curl("/rests/operations/penstock-operations:status", "-H",
            "Content-Type: application/yang-data+json", "-d", "{\"penstock-operations:input\":{}}").output())
            .contains("its certificate is that of node thief, and it announces itself as node victim");
    }

    @Test
    void aSwitchWithTheDatapathIdOfAnotherNodeIsRefused() {
        final OvsSandbox victim = controller.node(place, "edge4", controller.authority().node("edge4"));
        Await.until("both connections", LIMIT, () -> isConnected(victim));
        try (TestRun other = new TestRun()) {
            final OvsSandbox thief = controller.node(other, "edge5", controller.authority().node("edge5"));
            Await.until("both connections", LIMIT, () -> isConnected(thief));
            // The controller would repair what it finds in the database.
            thief.vsctl("del-manager", "--", "set", "Bridge", Constants.BRIDGE, "other_config:datapath-id="
                + victim.vsctl("get", "Bridge", Constants.BRIDGE, "datapath_id").strip());
            Await.until("it is refused", LIMIT, () -> controller.log().contains(
                "its certificate is that of node edge5, and this is the datapath id of node edge4"));
        }
        assertThat(isConnected(victim)).isTrue();
        assertThat(victim.vsctl("--columns=status", "list", "Controller")).doesNotContain("sec_since_disconnect");
    }

    @Test
    void aNodeThatIsRevokedLosesBothConnections() {
        final OvsSandbox node = controller.node(place, "edge6", controller.authority().node("edge6"));
        Await.until("both connections", LIMIT, () -> isConnected(node));
        controller.authority().revoke("node", "edge6");
        Await.until("none is connected", LIMIT, () -> Stream.of("Controller", "Manager").allMatch(table ->
            node.vsctl("--columns=is_connected", "list", table).contains("false")));
    }

    @Test
    void clientsOfRestconfKnowTheControllerByItsAuthority() {
        assertThat(controller.curl("/rests/data/penstock:network?content=config", "-o", "/dev/null", "-w",
            "%{http_code}").isGood()).isTrue();
        final String url = "https://" + TlsController.NORTHBOUND + ":" + controller.restconf() + "/rests";
        assertThat(Shell.PLAIN.attempt("curl", "-sS", url).output()).contains("certificate");
        assertThat(Shell.PLAIN.attempt("curl", "-sS", url.replace("https", "http")).isGood()).isFalse();
        assertThat(Stream.of("127.0.0.3", "127.0.0.1").map(address -> Shell.PLAIN.attempt("curl", "-sSk",
            "https://" + address + ":" + controller.restconf() + "/rests").isGood())).containsOnly(false);
    }
}
