// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static io.penstock.it.system.ControllerUnderTest.ADDRESS;
import static io.penstock.it.system.ControllerUnderTest.CLUSTER;
import static io.penstock.it.system.ControllerUnderTest.MEMBER;
import static io.penstock.it.system.ControllerUnderTest.NORTHBOUND;
import static io.penstock.it.system.ControllerUnderTest.OPENFLOW;
import static io.penstock.it.system.ControllerUnderTest.OVSDB;
import static io.penstock.it.system.ControllerUnderTest.RESTCONF;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Certificates at each port of the controller: those of members and nodes, and those that are no good. */
@Tag("safety")
@Tag("hostile")
@OnSystem
class TrustIT {
    /** How long a connection that is taken is kept. */
    private static final int TAKEN_SECONDS = 1;
    /** One that is refused ends at once, on a machine that has time for it. */
    private static final int REFUSED_SECONDS = 60;
    private static final Duration LIMIT = Await.PATIENCE;
    private static final List<Integer> SOUTHBOUND = List.of(OPENFLOW, OVSDB);
    /** Exit code of timeout(1). */
    private static final int TIMED_OUT = 124;


    private final EdgeSystem system;
    private final ControllerUnderTest controller;
    private final CertificateAuthority authority;
    /** Beside the controller. */
    private final Shell inside;
    /** Of the nodes of a test. */
    private final TestRun place = new TestRun();

    TrustIT(final EdgeSystem system) {
        this.system = system;
        controller = system.controller();
        authority = controller.authority();
        inside = Shell.PLAIN.entering(controller.namespace());
    }

    /** Ends the nodes of a test. The controller keeps what it knows of a node until that is deleted. */
    @AfterEach
    void removeNodes() {
        place.close();
        system.removeOtherNodes();
    }

    /** A switch with simulated ports that connects with these files, and announces itself as the node of this name. */
    private OvsSandbox node(final TestRun home, final String name, final Path files) {
        final OvsSandbox ovs = OvsSandbox.dummy(home, controller.namespace());
        ovs.vsctl("set-ssl", files.resolve("key.pem").toString(), files.resolve("certificate.pem").toString(),
            files.resolve("ca.pem").toString());
        ovs.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + name,
            "external_ids:" + NodeKeys.PROTOCOL + "=" + NodeKeys.VERSION, "external_ids:" + NodeKeys.PORTS + "=\"[]\"",
            "external_ids:" + NodeKeys.VHOST_DIR + "=\"" + home.directory().resolve("vhost") + "\"", "--",
            "--id=@m", "create", "Manager", "target=\"ssl:" + ADDRESS + ":" + OVSDB + "\"", "max_backoff=1000",
            "--", "set", "Open_vSwitch", ".", "manager_options=@m");
        return ovs;
    }

    private OvsSandbox node(final String name) {
        return node(place, name, authority.node(name));
    }

    /** What OpenSSL says of a handshake with a port of the controller that a client with these files begins. */
    private String handshake(final String address, final int port, final Path files) {
        return attempt(TAKEN_SECONDS, address, port, files).output();
    }

    private Shell.Result attempt(final int seconds, final String address, final int port, final Path files,
            final String... options) {
        final List<String> words = new ArrayList<>(List.of("timeout", Integer.toString(seconds), "openssl", "s_client",
            "-ign_eof", "-connect", address + ":" + port, "-cert", files.resolve("certificate.pem").toString(), "-key",
            files.resolve("key.pem").toString()));
        words.addAll(List.of(options));
        return inside.attempt(words.toArray(String[]::new));
    }

    private void refuses(final Path files, final String... options) {
        for (final int port : SOUTHBOUND) {
            assertThat(attempt(REFUSED_SECONDS, ADDRESS, port, files, options).output())
                .as("port %d", port).contains("SSL alert number");
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
        final Path files = authority.node("edge1");
        final OvsSandbox node = node(place, "edge1", files);
        Await.until("both connections", LIMIT, () -> isConnected(node));
        assertThat(node.vsctl("get-controller", Constants.BRIDGE).strip())
            .isEqualTo("ssl:%s:%d".formatted(ADDRESS, OPENFLOW));
        Await.until("flows", LIMIT, () -> node.ofctl("dump-flows", Constants.BRIDGE).lines().count() > 10);

        authority.renew("node", "edge1", "--new-key");
        authority.renew("member", MEMBER, "--new-key");
        final String renewed = serial(controller.member());
        Await.until("HTTPS has the new certificate", LIMIT, () -> serialAt(NORTHBOUND, RESTCONF, files)
            .equals(renewed));
        for (final int port : SOUTHBOUND) {
            assertThat(serialAt(ADDRESS, port, files)).isEqualTo(renewed);
        }
        assertThat(isConnected(node)).isTrue();
        assertThat(node.vsctl("--columns=status", "list", "Controller")).doesNotContain("sec_since_disconnect");
    }

    /** The certificate before is revoked, so the switch has to have read the next one. */
    @Test
    @Tag("deep")
    @Tag("trust")
    void aSwitchReadsItsNewCertificate() {
        final OvsSandbox node = node("edge3");
        Await.until("both connections", LIMIT, () -> isConnected(node));
        final String target = node.vsctl("get-controller", Constants.BRIDGE).strip();
        authority.replace("node", "edge3");
        node.vsctl("set-controller", Constants.BRIDGE, "tcp:127.0.0.1:1");
        Await.until("the switch is not connected", LIMIT, () -> !isConnected(node));
        node.vsctl("set-controller", Constants.BRIDGE, target);
        Await.until("both are connected again", LIMIT, () -> isConnected(node));
    }

    private String serialAt(final String address, final int port, final Path files) {
        return inside.attempt("sh", "-c", "timeout 60 openssl s_client -connect \"$1:$2\" -cert \"$3\" "
            + "-key \"$4\" < /dev/null 2> /dev/null | openssl x509 -noout -serial", "sh", address,
            Integer.toString(port), files.resolve("certificate.pem").toString(), files.resolve("key.pem").toString())
            .output();
    }

    @Test
    void certificatesThatAreNoGoodAreRefusedAtEachPort() {
        final Path good = authority.node("good");
        assertThat(handshake(ADDRESS, OPENFLOW, good)).doesNotContain("SSL alert number");
        refuses(controller.member());
        refuses(CertificateAuthority.in(place.directory().resolve("foreign")).node("good"));
        final Path late = authority.node("late");
        authority.expire("node", "late");
        refuses(late);
        authority.revoke("node", "good");
        refuses(good);
    }

    /** Akka ends the connection of a stranger; that of a member stays until it is timed out here. */
    @Test
    void membersTakeMembersAlone() {
        assertThat(isKept(authority.member("ctl2", "127.0.0.1"))).isTrue();
        ends(authority.node("insider"));
        ends(CertificateAuthority.in(place.directory().resolve("other")).member(MEMBER, "127.0.0.1"));
        ends(authority.member("ctl3", "127.0.0.1"), "-tls1_2");
        final Path late = authority.member("ctl4", "127.0.0.1");
        authority.expire("member", "ctl4");
        ends(late);
    }

    private boolean isKept(final Path files) {
        return attempt(TAKEN_SECONDS, "127.0.0.1", CLUSTER, files).status() == TIMED_OUT;
    }

    private void ends(final Path files, final String... options) {
        assertThat(attempt(REFUSED_SECONDS, "127.0.0.1", CLUSTER, files, options).status())
            .isNotEqualTo(TIMED_OUT);
    }

    @Test
    @Tag("deep")
    @Tag("trust")
    void oldVersionsAndWeakCiphersAreRefusedAtEachPort() {
        final Path good = authority.node("weak");
        for (final String options : List.of("-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher NULL@SECLEVEL=0",
                "-tls1_2 -cipher aNULL@SECLEVEL=0", "-tls1_2 -cipher AES128-SHA@SECLEVEL=0",
                "-tls1_2 -cipher AES128-GCM-SHA256")) {
            refuses(good, options.split(" "));
            assertThat(attempt(REFUSED_SECONDS, NORTHBOUND, RESTCONF, good,
                options.split(" ")).output()).contains("SSL alert number");
        }
    }

    @Test
    void aNodeWithTheNameOfAnotherGetsNoBridge() {
        final OvsSandbox thief = node(place, "victim", authority.node("thief"));
        Await.until("it is refused", LIMIT, () -> controller.log().contains("its certificate is that of node thief"));
        assertThat(thief.vsctl("list-br")).isEmpty();
        assertThat(system.restconf().call("status", "{}").toString())
            .contains("its certificate is that of node thief, and it announces itself as node victim");
    }

    @Test
    void aSwitchWithTheDatapathIdOfAnotherNodeIsRefused() {
        final OvsSandbox victim = node("edge4");
        Await.until("both connections", LIMIT, () -> isConnected(victim));
        try (TestRun other = new TestRun()) {
            final OvsSandbox thief = node(other, "edge5", authority.node("edge5"));
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
        final OvsSandbox node = node("edge6");
        Await.until("both connections", LIMIT, () -> isConnected(node));
        authority.revoke("node", "edge6");
        Await.until("none is connected", LIMIT, () -> Stream.of("Controller", "Manager").allMatch(table ->
            node.vsctl("--columns=is_connected", "list", table).contains("false")));
    }

    @Test
    void clientsOfRestconfKnowTheControllerByItsAuthority() {
        final String url = "https://" + NORTHBOUND + ":" + RESTCONF + "/rests";
        assertThat(inside.run("curl", "-sS", "--cacert", controller.member().resolve("ca.pem").toString(), "--user",
            "admin:" + controller.password(), "-o", "/dev/null", "-w", "%{http_code}",
            url + "/data/penstock:network?content=config")).isEqualTo("200");
        assertThat(inside.attempt("curl", "-sS", url).output()).contains("certificate");
        assertThat(inside.attempt("curl", "-sS", url.replace("https", "http")).isGood()).isFalse();
        assertThat(Stream.of("127.0.0.3", "127.0.0.1").map(address -> inside.attempt("curl", "-sSk",
            "https://" + address + ":" + RESTCONF + "/rests").isGood())).containsOnly(false);
    }
}
