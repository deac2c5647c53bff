// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.testkit.CertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which certificates are taken, and from when on new files count. Connections: TlsPeersIT of southbound-ovsdb. */
@Tag("safety")
class PeerTlsTest {
    @TempDir
    private Path directory;
    private CertificateAuthority authority;
    private Path member;

    @BeforeEach
    void issue() {
        authority = CertificateAuthority.in(directory.resolve("pki"));
        member = authority.member("ctl1", "127.0.0.1");
    }

    private TlsFiles files() {
        return new TlsFiles(member.resolve("certificate.pem"), member.resolve("key.pem"), member.resolve("ca.pem"),
            authority.revoked());
    }

    private static X509Certificate[] chain(final Path machine) throws IOException, CertificateException {
        try (var stream = Files.newInputStream(machine.resolve("certificate.pem"))) {
            return new X509Certificate[] {
                (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(stream)};
        }
    }

    private static void refused(final PeerTls tls, final Path machine, final String reason) {
        assertThatThrownBy(() -> tls.trust(shown -> { }).checkClientTrusted(chain(machine), "EC"))
            .hasStackTraceContaining(reason);
    }

    @Test
    void aNodeOfTheAuthorityIsTakenUntilItIsRevoked() throws Exception {
        final Path node = authority.node("edge1");
        final PeerTls tls = new PeerTls(files());
        tls.trust(shown -> { }).checkClientTrusted(chain(node), "EC");
        assertThat(tls.certificates()).extracting(PeerCertificate::toString).containsExactly("member ctl1",
            "node edge1");
        assertThat(tls.certificates().get(1).end()).isAfter(Instant.now().plus(Duration.ofDays(363)));
        final ShownCertificate shown = new ShownCertificate(PeerCertificate.of(chain(node)[0]), List.of(chain(node)));
        tls.check(shown);
        authority.revoke("node", "edge1");
        refused(tls, node, "revoked");
        assertThatThrownBy(() -> tls.check(shown)).hasStackTraceContaining("revoked");
    }

    @Test
    void othersAreRefused() {
        final PeerTls tls = new PeerTls(files());
        refused(tls, member, "is that of member ctl1, not of a node");
        final Path late = authority.node("late");
        authority.expire("node", "late");
        refused(tls, late, "NotAfter");
        refused(tls, CertificateAuthority.in(directory.resolve("foreign")).node("edge1"), "PKIX");
        assertThat(tls.certificates()).containsExactly(tls.own());
    }

    @Test
    void newFilesAreUsedWhenTheyBelongTogether() throws Exception {
        final PeerTls tls = new PeerTls(files());
        final Path key = member.resolve("key.pem");
        final Path before = Files.copy(key, directory.resolve("key"));
        final X509Certificate[] first = tls.keys().getCertificateChain("");
        authority.renew("member", "ctl1", "--new-key");
        final Path after = Files.copy(key, directory.resolve("after"));
        Files.copy(before, key, StandardCopyOption.REPLACE_EXISTING);
        assertThat(tls.keys().getCertificateChain("")).isEqualTo(first);
        Files.copy(after, key, StandardCopyOption.REPLACE_EXISTING);
        assertThat(tls.keys().getCertificateChain("")).isEqualTo(chain(member)).isNotEqualTo(first);
        Files.delete(key);
        assertThat(tls.own().name()).isEqualTo("ctl1");
    }

    @Test
    void filesThatCannotBeUsedStopTheStart() throws Exception {
        final Path node = authority.node("edge1");
        final Path other = authority.member("ctl2", "127.0.0.2");
        final TlsFiles good = files();
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(good.certificate(), other.resolve("key.pem"),
            good.authority(), good.revoked()))).hasMessageContaining("is not the key of the certificate");
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(node.resolve("certificate.pem"), node.resolve("key.pem"),
            good.authority(), good.revoked()))).hasMessageContaining("is that of node edge1, not of a member");
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(good.certificate(), good.key(), good.authority(),
            directory.resolve("none")))).hasMessageContaining("none");
        final Path foreign = directory.resolve("foreign");
        CertificateAuthority.in(foreign);
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(good.certificate(), good.key(), good.authority(),
            foreign.resolve("crl.pem")))).hasMessageContaining("certificates of this member");
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(good.certificate(), good.certificate(), good.authority(),
            good.revoked()))).hasMessageContaining("has no private key");
        final Path empty = Files.writeString(directory.resolve("empty"), "");
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(empty, good.key(), good.authority(), good.revoked())))
            .hasMessageContaining("has no certificate");
        assertThatThrownBy(() -> new PeerTls(new TlsFiles(good.certificate(), good.key(), good.authority(), empty)))
            .hasMessageContaining("has no list of");
    }

    @Test
    void whoAsksForTheDefaultAlgorithmWithEmptyStoresGetsTheNodes() throws Exception {
        final PeerTls tls = new PeerTls(files());
        final String before = KeyManagerFactory.getDefaultAlgorithm();
        final List<ShownCertificate> shown = new ArrayList<>();
        final AtomicBoolean connects = new AtomicBoolean(true);
        final Runnable end = PeerTlsProvider.install(tls, () -> connects.get() ? Optional.of(shown::add)
            : Optional.empty());
        final String algorithm = Security.getProperty("ssl.KeyManagerFactory.algorithm");
        final KeyStore empty = KeyStore.getInstance("JKS");
        empty.load(null, null);
        final KeyManagerFactory keys = KeyManagerFactory.getInstance(algorithm);
        keys.init(empty, new char[0]);
        assertThat(((X509ExtendedKeyManager) keys.getKeyManagers()[0]).getCertificateChain("member"))
            .isEqualTo(chain(member));
        final TrustManagerFactory trust = TrustManagerFactory.getInstance(algorithm);
        trust.init(empty);
        ((X509ExtendedTrustManager) trust.getTrustManagers()[0]).checkClientTrusted(chain(authority.node("n")), "EC");
        assertThat(shown).singleElement().satisfies(each -> assertThat(each.owner()).hasToString("node n"));
        connects.set(false);
        assertThatThrownBy(() -> trust.init(empty)).hasMessage("no switch connects");
        empty.setCertificateEntry("ca", chain(member)[0]);
        keys.init(empty, new char[0]);
        assertThat(((X509ExtendedKeyManager) keys.getKeyManagers()[0]).getServerAliases("EC", null)).isNull();
        trust.init(empty);
        assertThat(((X509ExtendedTrustManager) trust.getTrustManagers()[0]).getAcceptedIssuers())
            .containsExactly(chain(member)[0]);
        end.run();
        assertThat(KeyManagerFactory.getDefaultAlgorithm()).isEqualTo(before);
    }
}
