// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import io.penstock.pipeline.rules.Violation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ids of tenants in the network, and on their nodes. */
@Tag("safety")
class VrfIdsTest {
    private static final int TAGS = VrfId.LAST_TAG - VrfId.FIRST + 1;
    private static final int VRFS = VrfId.LAST - VrfId.FIRST + 1;

    private static final int VLANS = 4000;

    private int vlans;

    /** On a VLAN of its own. */
    private Tenant tenant(final String name, final boolean chain, final String... nodes) {
        final int number = vlans++;
        final List<Tenant.Attachment> attachments = Arrays.stream(nodes).map(node ->
            new Tenant.Attachment(node, node, "p" + number / VLANS, 1 + number % VLANS)).toList();
        return new Tenant(name, attachments, List.of(), List.of(), Optional.empty(), Optional.empty(),
            chain ? Optional.of("secure") : Optional.empty());
    }

    private List<Tenant> many(final String prefix, final int count, final String... nodes) {
        return IntStream.range(0, count).mapToObj(number -> tenant(prefix + number, false, nodes)).toList();
    }

    private static Snapshot network(final List<Tenant> tenants, final Tenant... more) {
        final List<Tenant> all = new ArrayList<>(tenants);
        all.addAll(List.of(more));
        final List<Node> nodes = IntStream.range(0, 4).mapToObj(node -> new Node("edge" + node, "/vhost",
            IntStream.range(0, 30).mapToObj(port -> new Node.Port("p" + port, Node.Role.ACCESS, Node.PortType.SYSTEM,
                "")).toList())).toList();
        return Snapshot.of(nodes, Backbone.NONE, List.of(), List.of(), List.of(), all, List.of());
    }

    private static Allocations with(final Map<String, TenantAllocation> tenants, final int lastVrf) {
        return new Allocations(lastVrf, new TreeMap<>(), new TreeMap<>(), tenants);
    }

    private static void assertUnique(final Snapshot snapshot, final Allocations given) {
        final Map<String, Set<Integer>> taken = new HashMap<>();
        final Set<Integer> ids = new HashSet<>();
        final List<String> faults = new ArrayList<>();
        snapshot.tenants().forEach((name, tenant) -> {
            final TenantAllocation has = given.tenants().get(name);
            if (!ids.add(has.id()) || !tenant.nodes().containsAll(has.vrfs().keySet())) {
                faults.add(name + ": " + has);
            }
            tenant.nodes().forEach(node -> {
                final int vrf = has.vrf(node).orElseThrow().number();
                if (!taken.computeIfAbsent(node, key -> new HashSet<>()).add(vrf) || vrf < VrfId.FIRST
                        || vrf > (tenant.hasChain() ? VrfId.LAST_TAG : VrfId.LAST)) {
                    faults.add(name + " on " + node + ": " + has);
                }
            });
        });
        assertThat(faults).isEmpty();
    }

    @Test
    void aVrfIdIsTheIdOfItsTenantWhereItCanBe() {
        final Snapshot snapshot = network(many("t", 100, "edge1", "edge2"), tenant("z", true, "edge1"));
        final Allocations given = Allocator.allocate(snapshot, Allocations.none());
        assertUnique(snapshot, given);
        assertThat(given.tenants().values()).allMatch(each -> each.vrfs().isEmpty());
    }

    @Test
    void moreTenantsThanVrfIdsHaveThemByNode() {
        final List<Tenant> tenants = new ArrayList<>();
        IntStream.range(0, 4).forEach(node -> tenants.addAll(many("n" + node + "-", 25_000, "edge" + node)));
        final Snapshot snapshot = network(tenants);
        final Allocations given = Allocator.allocate(snapshot, Allocations.none());
        assertUnique(snapshot, given);
        assertThat(given.tenants().values().stream().filter(each -> each.id() < VrfIds.FIRST_LARGE)).hasSize(VRFS);
        assertThat(given.lastLarge()).isEqualTo(VrfIds.FIRST_LARGE + 100_000 - VRFS - 1);
        assertThat(Allocator.allocate(snapshot, given)).isEqualTo(given);
    }

    @Test
    void theIdsOfAFormerReleaseStay() {
        final Allocations stored = with(Map.of("a", new TenantAllocation(7, Optional.empty()), "b",
            new TenantAllocation(5000, Optional.empty())),
            5000);
        final Snapshot snapshot = network(List.of(tenant("a", true, "edge1"), tenant("b", false, "edge1"),
            tenant("c", false, "edge1")));
        final Allocations given = Allocator.allocate(snapshot, stored);
        assertThat(given.tenants().get("a")).isSameAs(stored.tenants().get("a"));
        assertThat(given.tenants().get("b")).isSameAs(stored.tenants().get("b"));
        assertUnique(snapshot, given);
    }

    /** An earlier one had VRF ids up to 28671. */
    @Test
    void anIdThatIsAVrfIdNoMoreGetsAnother() {
        final Allocations stored = with(Map.of("a", new TenantAllocation(28_671, Optional.empty()), "b",
            new TenantAllocation(VrfId.LAST, Optional.empty())), 28_671);
        final Snapshot snapshot = network(List.of(tenant("a", false, "edge1"), tenant("b", false, "edge1"),
            tenant("c", false, "edge1")));
        final Allocations given = Allocator.allocate(snapshot, stored);
        assertThat(given.tenants().get("a").id()).isEqualTo(28_671);
        assertUnique(snapshot, given);
        assertThat(Allocator.allocate(snapshot, given)).isEqualTo(given);
    }

    @Test
    void aTenantThatGetsAChainGetsATagOnItsNodes() {
        final Allocations stored = with(Map.of("a", new TenantAllocation(5000, Optional.empty())), 5000);
        final Snapshot snapshot = network(List.of(tenant("a", true, "edge1", "edge2")));
        assertThat(Validator.validate(snapshot, stored)).extracting(Violation::toString)
            .noneMatch(text -> text.contains("VRF id"));
        final Allocations given = Allocator.allocate(snapshot, stored);
        assertUnique(snapshot, given);
        assertThat(given.tenants().get("a").id()).isEqualTo(5000);
        final Snapshot without = network(List.of(tenant("a", false, "edge1", "edge2")));
        assertThat(Allocator.allocate(without, given)).as("it keeps them").isEqualTo(given);
    }

    @Test
    void aNodeHasAsManyTenantsWithAChainAsThereAreTags() {
        final List<Tenant> plain = many("t", TAGS, "edge1");
        final Allocations full = Allocator.allocate(network(plain), Allocations.none());
        final Snapshot wanted = network(plain, tenant("z", true, "edge1"));
        assertThat(Validator.validate(wanted, full)).extracting(Violation::toString).contains(
            "tenant z: chain: every VRF id of node edge1 up to 4094 is in use, and no other can be an 802.1Q tag");
        final Snapshot elsewhere = network(plain, tenant("z", true, "edge2"));
        assertThat(Validator.validate(elsewhere, full)).extracting(Violation::toString)
            .noneMatch(text -> text.contains("VRF id"));
        assertUnique(elsewhere, Allocator.allocate(elsewhere, full));
        final Snapshot possible = network(plain.subList(1, TAGS), tenant("z", true, "edge1"));
        assertThat(Validator.validate(possible, full)).extracting(Violation::toString)
            .noneMatch(text -> text.contains("VRF id"));
        assertUnique(possible, Allocator.allocate(possible, full));
    }

    @Test
    void newTenantsWithoutAChainLeaveTheTagsToThoseThatNeedThem() {
        final List<Tenant> plain = many("a", TAGS - 10, "edge1");
        final Allocations some = Allocator.allocate(network(plain), Allocations.none());
        final List<Tenant> more = new ArrayList<>(plain);
        more.addAll(many("b", 500, "edge1"));
        IntStream.range(0, 10).forEach(number -> more.add(tenant("z" + number, true, "edge1")));
        final Snapshot snapshot = network(more);
        assertThat(Validator.validate(snapshot, some)).extracting(Violation::toString)
            .noneMatch(text -> text.contains("VRF id"));
        assertUnique(snapshot, Allocator.allocate(snapshot, some));
    }

    @Test
    void aNodeThatIsFullIsNamed() {
        final Snapshot tooMany = network(many("t", VRFS + 1, "edge1"));
        assertThat(Validator.validate(tooMany, Allocations.none())).extracting(Violation::toString)
            .anyMatch(text -> text.contains("attachment: node edge1 has more tenants than there are VRF ids, which are "
                + VRFS));
        assertThatThrownBy(() -> Allocator.allocate(tooMany, Allocations.none()))
            .hasMessageContaining("on node edge1");
    }

    @Test
    void idsStayUniqueAndKeptWhateverComesAndGoes() {
        final Random random = new Random(7);
        final List<String> nodes = List.of("edge1", "edge2", "edge3");
        Map<String, Tenant> now = new TreeMap<>();
        // As if the network were full: ids of new tenants are large, and VRF ids differ on each node.
        final Map<String, TenantAllocation> full = new HashMap<>();
        final List<Tenant> fillers = new ArrayList<>();
        IntStream.rangeClosed(VrfId.FIRST, VrfId.LAST).forEach(id -> {
            full.put("x" + id, new TenantAllocation(id, Optional.empty()));
            fillers.add(tenant("x" + id, false));
        });
        Allocations given = with(full, VrfId.LAST);
        for (int round = 0; round < 12; round++) {
            now = new TreeMap<>(now);
            for (int change = 0; change < 20; change++) {
                final String name = "t" + random.nextInt(200);
                final List<String> some = nodes.stream().filter(node -> random.nextBoolean()).toList();
                if (random.nextInt(4) == 0) {
                    now.remove(name);
                } else {
                    now.put(name, tenant(name, random.nextInt(3) == 0, some.toArray(String[]::new)));
                }
            }
            final List<Tenant> all = new ArrayList<>(fillers);
            all.addAll(now.values());
            final Snapshot snapshot = network(all);
            final Allocations next = Allocator.allocate(snapshot, given);
            assertUnique(snapshot, next);
            final Allocations before = given;
            now.forEach((name, tenant) -> Optional.ofNullable(before.tenants().get(name)).ifPresent(had ->
                had.vrfs().forEach((node, vrf) -> {
                    if (tenant.nodes().contains(node)
                            && (!tenant.hasChain() || vrf.isTag())) {
                        assertThat(next.tenants().get(name).vrf(node)).as("%s on %s", name, node).contains(vrf);
                    }
                })));
            given = next;
        }
    }
}
