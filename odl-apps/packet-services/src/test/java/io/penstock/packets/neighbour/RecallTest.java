// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.frames.Arp;
import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.Links;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who is asked for after a restart of a switch, how fast, and how often. */
class RecallTest {
    private static final String NODE = "edge1";
    private static final Ipv4 GATEWAY = Ipv4.parse("192.0.2.1");
    private static final Ipv4 FIRST = Ipv4.parse("10.0.0.2");

    private record Sent(long millis, Ipv4 address) { }

    private record Due(long millis, int number, Runnable task) { }

    private final List<Sent> sent = new ArrayList<>();
    private final PriorityQueue<Due> tasks =
        new PriorityQueue<>(Comparator.comparingLong(Due::millis).thenComparingInt(Due::number));
    private final List<FlowSpec> learned = new ArrayList<>();
    private long now;
    private int number;
    private Desired desired = new Desired(0, Snapshot.empty(), Allocations.none());
    private final Recall recall = new Recall(new NeighbourResolver(new Links(new FrameOutlet(southbound()),
        () -> desired)), node -> CompletableFuture.completedFuture(new FlowDump(
            learned.stream().map(flow -> new InstalledFlow(flow, 0, 0)).toList(), List.of())),
        (task, millis) -> tasks.add(new Due(now + millis, number++, task)));

    private OpenFlowSouthbound southbound() {
        return (OpenFlowSouthbound) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {OpenFlowSouthbound.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("packetOut")) {
                    final Arp arp = Ethernet.parse(Bytes.of((byte[]) arguments[3]))
                        .flatMap(frame -> Arp.parse(frame.payload())).orElseThrow();
                    sent.add(new Sent(now, new Ipv4(arp.targetAddress())));
                }
                return CompletableFuture.completedFuture(null);
            });
    }

    private void want(final Tenant... tenants) {
        final Snapshot network = Fixtures.network(tenants);
        desired = new Desired(1, network, Allocator.allocate(network, Allocations.none()));
    }

    private void lease(final String tenant, final int count) {
        final Map<String, TenantAllocation> all = new HashMap<>(desired.allocations().tenants());
        all.computeIfPresent(tenant, (name, given) -> given.withLeases(IntStream.range(0, count)
            .mapToObj(host -> new Lease(FIRST.plus(host), Lease.State.BOUND, "01", new Mac(1), "lan", "",
            2_000_000_000L))
            .toList()));
        desired = new Desired(2, desired.snapshot(), desired.allocations().withTenants(all));
    }

    private void run(final long millis) {
        final long end = now + millis;
        while (!tasks.isEmpty() && tasks.peek().millis() <= end) {
            final Due next = tasks.remove();
            now = next.millis();
            next.task().run();
        }
        now = end;
    }

    private void learn(final String tenant, final Ipv4 address) {
        final int vrf = desired.allocations().tenants().get(tenant).id();
        learned.add(new FlowSpec(Table.NEIGHBOURS, 200, List.of(Register.VRF.is(vrf),
            Register.NEXT_HOP.is(address.number())),
            List.of(), Optional.empty(), Cookie.of(Cookie.Kind.LEARNED, vrf), 0));
    }

    @Test
    void gatewaysAreFirstAndHostsAreAskedForByTurns() {
        want(Fixtures.tenant("big", 100), Fixtures.tenant("small", 101));
        lease("big", 200);
        lease("small", 3);
        assertThat(recall.begin(NODE)).isEqualTo(203);
        assertThat(sent).as("at once").hasSize(1 + 10 + 3);
        assertThat(sent.get(0).address()).isEqualTo(GATEWAY);
        run(1_000);
        assertThat(sent).as("a hundred a second of a tenant").hasSize(1 + 3 + 110);
    }

    @Test
    void aNodeIsAskedForFiveHundredASecond() {
        want(IntStream.range(0, 100).mapToObj(each -> Fixtures.tenant("t" + each, 100 + each)).toArray(Tenant[]::new));
        IntStream.range(0, 100).forEach(each -> lease("t" + each, 20));
        assertThat(recall.begin(NODE)).isEqualTo(2000);
        run(1_999);
        assertThat(sent).hasSize(1 + 1000);
        run(2_000);
        assertThat(sent).hasSize(1 + 2000);
    }

    @Test
    void whoDoesNotAnswerIsAskedForAFewTimesMore() {
        want(Fixtures.tenant("acme", 100), Fixtures.tenant("other", 101));
        lease("acme", 2);
        lease("other", 2);
        recall.begin(NODE);
        learn("acme", FIRST);
        learn("other", FIRST.plus(1));
        sent.clear();
        run(1_000);
        assertThat(sent).extracting(Sent::address).containsExactlyInAnyOrder(FIRST, FIRST.plus(1));
        learn("other", FIRST);
        run(3_000);
        assertThat(sent).extracting(Sent::address).hasSize(3).last().isEqualTo(FIRST.plus(1));
        run(600_000);
        assertThat(sent).hasSize(3);
        assertThat(tasks).isEmpty();
    }

    @Test
    void anotherRestartBeginsAnew() {
        want(Fixtures.tenant("acme", 100));
        lease("acme", 30);
        recall.begin(NODE);
        recall.begin(NODE);
        run(900);
        assertThat(sent).hasSize(2 + 10 + 30);
    }

    @Test
    void aNodeThatIsRemovedIsAskedForNothing() {
        want(Fixtures.tenant("acme", 100));
        lease("acme", 30);
        recall.begin(NODE);
        sent.clear();
        desired = new Desired(3, Snapshot.empty(), Allocations.none());
        run(60_000);
        assertThat(sent).isEmpty();
    }

    @Test
    void hostsThatAreKnownWithoutLeasesAreAskedFor() {
        want(Fixtures.published(), Fixtures.served(), Fixtures.onDemand());
        recall.begin(NODE);
        run(900);
        assertThat(sent).extracting(each -> each.address().toString()).contains("10.0.0.20", "10.0.0.21", "10.0.0.10",
            "10.0.0.128", "10.0.0.131", "10.4.0.9", "10.3.0.20").doesNotContain("10.0.0.1", "10.0.0.132");
    }
}
