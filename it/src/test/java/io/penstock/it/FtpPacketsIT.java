// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FTP carries addresses in its commands (RFC 959); both of its modes, with the server outside and inside. */
class FtpPacketsIT {
    private static final int FTP = 21;
    private static final int VLAN = 100;
    private static final Duration PATIENCE = Await.PATIENCE;
    /** Brings two files there and back again; prints how many bytes came back unharmed. */
    private static final String CLIENT = """
        import ftplib, io, os, sys
        link = ftplib.FTP()
        link.connect(sys.argv[1], 21, 5)
        link.login()
        link.set_pasv(sys.argv[2] == "passive")
        good = 0
        for name, size in (("small", 10), ("large", 3000000)):
            content, back = os.urandom(size), io.BytesIO()
            link.storbinary("STOR " + name, io.BytesIO(content))
            link.retrbinary("RETR " + name, back.write)
            good += size if back.getvalue() == content else 0
        link.quit()
        print(good)
        """;
    private static final String ALL = "3000010";

    private static PacketNode node;
    private static Host inside;

    @BeforeAll
    static void start() throws IOException {
        node = new PacketNode();
        inside = node.network().host("acc0", VLAN, "10.0.0.20/24", "10.0.0.1");
        for (final Host host : List.of(inside, node.network().server())) {
            final Path files = Files.createDirectory(node.run().directory().resolve("ftp-" + host.address()));
            host.serve("/usr/bin/python3", "-m", "pyftpdlib", "-i", "0.0.0.0", "-p", Integer.toString(FTP), "-w", "-d",
                files.toString());
            Await.until("FTP server listens",
                () -> host.shell().run("ss", "-Hltn", "sport = " + FTP).contains(":" + FTP));
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        load(Set.of(Alg.FTP));
    }

    private static void load(final Set<Alg> algs) {
        node.load(Networks.of(Networks.plain("shop", VLAN, TenantPair.FIRST_PUBLIC).with(
            new Tenant.Nat(Optional.of(Ipv4.parse(TenantPair.FIRST_PUBLIC)), Optional.empty(), List.of(),
                List.of(), List.of(),
                List.of(new Tenant.PortForward("ftp", 6, FTP, Ipv4.parse("10.0.0.20"), FTP)), algs))));
        inside.meets("10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"active", "passive"})
    @Requirement(rfc = 4787, number = "10a")
    void aServerOutsideIsUsed(final String mode) {
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(transfer(inside, EdgeNetwork.SERVER, mode)).isEqualTo(ALL);
            assertThat(uplink.all()).isEmpty();
        }
        assertThat(node.packets(Table.NAT_OUT_CHECK, "not translated")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"active", "passive"})
    void aPublishedServerIsUsed(final String mode) {
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(transfer(node.network().server(), TenantPair.FIRST_PUBLIC, mode)).isEqualTo(ALL);
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 4787, number = "10a")
    @Requirement(rfc = 5382, number = "6")
    void withoutTheGatewayTheServerIsToldAnAddressItCannotReach() {
        load(Set.of());
        assertThat(inside.shell().attempt("/usr/bin/python3", "-c", CLIENT, EdgeNetwork.SERVER, "active").isGood())
            .isFalse();
        assertThat(transfer(inside, EdgeNetwork.SERVER, "passive")).isEqualTo(ALL);
    }

    private static String transfer(final Host client, final String server, final String mode) {
        return client.shell().run(PATIENCE, "/usr/bin/python3", "-c", CLIENT, server, mode);
    }
}
