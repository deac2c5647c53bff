// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Nsh;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Shell;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two tenants with the same addresses through functions that know the service header, and a firewall that does not. The
 * node runs the machine's own Open vSwitch, as translated packets with the header end later ones.
 */
@Tag(PairOnNode.OF_MACHINE)
class NshPacketsIT extends PairOnNode {
    private static final String UNSERVED = "no network service header with index 254, from sf-out";
    /**
     * A service function between two devices: passes on what has a service header, with an index that is lower by one.
     * With an argument it leaves the index as it is.
     */
    private static final String SERVE = """
        import select, socket, sys
        links = []
        for device in ("inside", "outside"):
            link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x894f))
            link.bind((device, 0x894f))
            links.append(link)
        other = {links[0]: links[1], links[1]: links[0]}
        print("ready", flush=True)
        while True:
            for link in select.select(links, [], [])[0]:
                frame, (_, _, kind, _, _) = link.recvfrom(2000)
                if kind != socket.PACKET_OUTGOING:
                    frame = bytearray(frame)
                    frame[21] -= len(sys.argv) < 2
                    other[link].send(frame)
        """;

    private static Process serving;

    @BeforeAll
    static void start() {
        load(function(), "fw", "sf");
        node.functions().start("fw", "packet-filter");
        serving = startToServe("sf");
        node.run().closing(() -> Shell.stop(serving));
        startToServe("sf2");
    }

    private static Process startToServe(final String instance) {
        node.functions().start(instance, "monitor");
        node.functions().inside(instance).run("sh", "-ec", "nft flush ruleset; for side in inside outside; do "
            + "ip link set $side nomaster; done");
        final Process process = serve(instance);
        node.run().closing(() -> Shell.stop(process));
        return process;
    }

    private static Process serve(final String instance, final String... how) {
        final List<String> command = new java.util.ArrayList<>(List.of("/usr/bin/python3", "-c", SERVE));
        command.addAll(List.of(how));
        final var file = node.run().directory().resolve("serve-" + instance + "-" + System.nanoTime());
        final Process process = node.functions().inside(instance).start(file, command.toArray(String[]::new));
        Await.until("the function serves", () -> Shell.printed(file).startsWith("ready"));
        return process;
    }

    private static NetworkFunction function() {
        return new NetworkFunction("sf", Networks.NODE, FailPolicy.CLOSED, true).with(new Nsh());
    }

    private static NetworkFunction spread() {
        return function().spread(new Instance("sf", State.IN_SERVICE, 1), new Instance("sf2", State.IN_SERVICE, 1));
    }

    private static void load(final NetworkFunction function, final String... chain) {
        node.load(Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true), function,
            new NetworkFunction("sf2", Networks.NODE, FailPolicy.CLOSED, true).with(new Nsh())).stream()
            .filter(each -> !function.spread() || !each.name().equals("sf2")).toList(), List.of(chain),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC)));
        pair.reachTheirGateways();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fw,sf", "sf,fw", "sf", "sf,sf2"})
    void packetsHaveAHeaderOfTheirVrfAndDirection(final String chain) {
        load(function(), chain.split(","));
        try (Capture in = node.functions().capture("sf", "inside", "ether proto 0x894f");
                Capture out = node.functions().capture("sf", "outside", "ether proto 0x894f")) {
            pair.first().reaches(EdgeNetwork.SERVER);
            pair.second().reaches(EdgeNetwork.SERVER);
            // VRFs 2 and 3, in each direction as it comes and as it was served.
            for (final String path : List.of("0x000002", "0x001002", "0x000003", "0x001003")) {
                for (final Capture side : List.of(in, out)) {
                    Await.until("path " + path, side::frames, frames -> frames.stream().anyMatch(frame ->
                        frame.contains("service-path-id " + path)));
                }
            }
            assertThat(in.all()).anyMatch(frame -> frame.contains("service-index 0xff"))
                .anyMatch(frame -> frame.contains("service-index 0xfe"));
        }
        pair.areTranslated();
        pair.areIsolated();
    }

    /** This one passes all on as it came, so nothing comes back; TAP devices of DPDK have no room for such frames. */
    @Test
    void fullFramesPassTheFunction() {
        node.functions().stop("sf2");
        node.functions().start("sf2", "forwarder");
        try {
            load(function(), "sf2");
            final long before = node.packets(Table.CLASSIFY, UNSERVED.replace("sf-out", "sf2-out"));
            pair.loseFullFrames();
            assertThat(node.packets(Table.CLASSIFY, UNSERVED.replace("sf-out", "sf2-out"))).isEqualTo(before + 2);
        } finally {
            node.functions().stop("sf2");
            startToServe("sf2");
        }
    }

    @Test
    void connectionsAreSpread() {
        load(spread(), "fw", "sf");
        pair.areTranslated();
        for (final String instance : List.of("sf", "sf2")) {
            awaitConnection(instance, "ether proto 0x894f");
        }
    }

    @Test
    void whatWasNotServedIsDroppedAndCounted() {
        load(function(), "sf");
        Shell.stop(serving);
        serving = serve("sf", "idle");
        try {
            pair.first().doesNotReach(EdgeNetwork.SERVER);
            assertThat(node.packets(Table.CLASSIFY, UNSERVED)).isPositive();
        } finally {
            Shell.stop(serving);
            serving = serve("sf");
        }
        pair.areTranslated();
    }
}
