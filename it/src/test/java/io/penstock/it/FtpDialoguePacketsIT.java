// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Control packets of FTP of all lengths and forms meet the helper in the switch (CVE-2026-34956). */
class FtpDialoguePacketsIT {
    private static final int FTP = 21;
    private static final int VLAN = 100;
    private static final String INSIDE = "10.0.0.20";
    /** Answers each line with what it has got in hexadecimal digits; after "say " it answers with what these mean. */
    private static final String SERVER = """
        import contextlib, socket, threading
        def serve(link):
            with contextlib.suppress(OSError), link, link.makefile("rb") as lines:
                for line in lines:
                    meant = bytes.fromhex(line[4:].decode()) if line.startswith(b"say ") else None
                    link.sendall(line.hex().encode() + b"\\n" if meant is None else meant)
        listener = socket.create_server(("", 21), backlog=50)
        print("ready", flush=True)
        while True:
            threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
        """;
    private static final String CLIENT = """
        import random, socket, sys
        server, own = sys.argv[1], sys.argv[2]
        def connect():
            link = socket.create_connection((server, 21), 60)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return link
        def lines(link):
            return link.makefile("rb")
        comma = own.replace(".", ",")
        """;
    /** Sends PORT and EPRT in packets of all lengths; prints each line as the server has got it. */
    private static final String COMMANDS = CLIENT + """
        with connect() as link, lines(link) as answers:
            for length in (*range(30, 40), *range(240, 300), *range(500, 520), 767, 768, 1000, 1023, 1024, 1300):
                for command in (f"PORT {comma},200,{length % 200}", f"EPRT |1|{own}|{51200 + length}|"):
                    link.sendall((command + " " * (length - len(command) - 2) + "\\r\\n").encode())
                    print(bytes.fromhex(answers.readline().decode()).decode().replace(" ", "_").rstrip())
        """;
    /** Has the server send replies of all lengths; prints each as it comes. */
    private static final String REPLIES = CLIENT + """
        with connect() as link, lines(link) as answers:
            for length in (*range(50, 60), *range(240, 300), *range(500, 520), 767, 768, 1000, 1023, 1024, 1300):
                for reply in (f"227 Entering Passive Mode ({comma},200,{length % 200})",
                              f"229 Entering Extended Passive Mode (|||{51200 + length}|)"):
                    text = (reply + " " * (length - len(reply) - 2) + "\\r\\n").encode()
                    link.sendall(b"say " + text.hex().encode() + b"\\n")
                    print(answers.readline().decode().replace(" ", "_").rstrip())
        """;
    /** Sends commands, and has the server send replies, that are nearly right, and waits for nothing. */
    private static final String MALFORMED = CLIENT + """
        draw = random.Random(int(sys.argv[3]))
        texts = [f"PORT {comma},200,7", f"EPRT |1|{own}|51207|", "EPRT |2|2001:db8::1|51207|", "EPSV ALL",
                 f"227 Entering Passive Mode ({comma},200,7)", "229 Entering Extended Passive Mode (|||51207|)"]
        def spoiled(text):
            for _ in range(draw.randint(1, 4)):
                at, kind = draw.randrange(len(text)), draw.randrange(5)
                some = draw.choice(["9" * draw.randint(1, 400), ",", "|", ".", "(", ")", "\\0", "\\r\\n", " ", "-1",
                                    "65536", "4294967296", "PORT ", "EPRT ", "227 ("])
                text = (text[:at] + some + text[at:] if kind == 0 else text[:at] + text[at + 1:] if kind == 1
                        else text[:at] if kind == 2 else text[:at] + some + text[at + 1:] if kind == 3 else text * 2)
                text = text[:1200] or "x"
            return text.encode() + draw.choice([b"\\r\\n", b"\\n", b"\\r", b"", b"\\0"])
        for _ in range(int(sys.argv[4])):
            with connect() as link:
                text = spoiled(draw.choice(texts))
                link.sendall(text if draw.random() < 0.5 else b"say " + text.hex().encode() + b"\\n")
        print("sent")
        """;
    private static final int DIALOGUES = 300;
    private static final int SEED = 34956;

    private static PacketNode node;
    private static Host inside;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        inside = node.network().host("acc0", VLAN, INSIDE + "/24", "10.0.0.1");
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse(TenantPair.FIRST_PUBLIC)), Optional.empty(),
            List.of(), List.of(), List.of(),
            List.of(new Tenant.PortForward("ftp", 6, FTP, Ipv4.parse(INSIDE), FTP)), Set.of(Alg.FTP));
        node.load(Networks.of(Networks.plain("shop", VLAN, TenantPair.FIRST_PUBLIC).with(nat)));
        inside.meets("10.0.0.1");
        new Script(node, node.network().server(), SERVER);
        new Script(node, inside, SERVER);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static List<String> said(final Host client, final String server, final String program,
            final Object... more) {
        final Object[] arguments = new Object[more.length + 2];
        arguments[0] = server;
        arguments[1] = INSIDE;
        System.arraycopy(more, 0, arguments, 2, more.length);
        return Script.run(client, program, arguments).lines().toList();
    }

    private static List<String> commands() {
        return said(inside, EdgeNetwork.SERVER, COMMANDS);
    }

    private static List<String> replies() {
        return said(node.network().server(), TenantPair.FIRST_PUBLIC, REPLIES);
    }

    /** Open vSwitch 4.0 writes the address of EPRT with commas, which no server takes; clients fall back to PORT. */
    @Test
    void commandsOfAllLengthsAreTranslated() {
        assertThat(commands()).hasSizeGreaterThan(180)
            .allMatch(line -> line.matches(
                "PORT_203,0,113,11,200,\\d+_*|EPRT_\\|1\\|203,0,113,11\\|5\\d{4}\\|_*"));
    }

    @Test
    void repliesOfAllLengthsAreTranslated() {
        assertThat(replies()).hasSizeGreaterThan(180).allMatch(line -> line.matches(
            "227_Entering_Passive_Mode_\\(203,0,113,11,200,\\d+\\)_*"
                + "|229_Entering_Extended_Passive_Mode_\\(\\|\\|\\|5\\d{4}\\|\\)_*"));
    }

    /** A switch that ends has no flows afterwards: no controller is there to give it any. */
    @Test
    void malformedDialoguesHarmNoOther() {
        assertThat(said(inside, EdgeNetwork.SERVER, MALFORMED, SEED, DIALOGUES)).containsExactly("sent");
        assertThat(said(node.network().server(), TenantPair.FIRST_PUBLIC, MALFORMED, SEED, DIALOGUES))
            .containsExactly("sent");
        commandsOfAllLengthsAreTranslated();
        repliesOfAllLengthsAreTranslated();
    }
}
