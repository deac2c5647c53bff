// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Dns.Upstream;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.TenantOrders.Host;
import io.penstock.pipeline.plan.TenantOrders.Resolver;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the agent of a node is told of tenants. */
class TenantOrdersTest {
    @Test
    void theResolverKnowsATenantByItsSubnetsAndLeases() {
        final Resolver told = resolver(Fixtures.network(Fixtures.served()));
        assertThat(told.addresses()).containsExactly("240.0.2.0", "240.0.2.1");
        assertThat(told.reverse()).containsExactly("10.3.0.0/24", "10.4.0.0/24");
        assertThat(told.hosts()).containsExactly(new Host("desk1", "10.3.0.101"));
        assertThat(told.config()).isEqualTo(Fixtures.served().services().dns().orElseThrow());
    }

    @Test
    void itKnowsBothFamilies() {
        final Resolver told = resolver(DualStack.network(DualStack.served()));
        assertThat(told.addresses()).containsExactly("240.0.2.0", "fd50:7300:0:2::53", "fd50:7300:0:2:1::53");
        assertThat(told.reverse()).containsExactly("10.0.0.0/24");
    }

    @Test
    void whoNamesNoResolverAsksThoseOfTheProvider() {
        final Tenant plain = Fixtures.tenant("plain", 100).with(new Services(Optional.empty(),
            Optional.of(new Dns(Optional.of("x.example"), List.of(), List.of(), Optional.empty(), Optional.empty()))));
        final Snapshot network = Fixtures.network(plain);
        final Backbone backbone = new Backbone(network.backbone().interfaces(), network.backbone().routes(),
            List.of("192.0.2.53", "2001:db8::53"));
        assertThat(resolver(new Snapshot(network.nodes(), backbone, network.pools(), network.functions(),
            network.chains(), network.tenants(), network.acls())).config().upstreams())
            .containsExactly(new Upstream("192.0.2.53", false), new Upstream("2001:db8::53", false));
    }

    @Test
    void aNodeWithoutAResolverIsToldOfNone() {
        assertThat(Fixtures.plan(Fixtures.network(Fixtures.served())).orders().values())
            .isNotEmpty().allMatch(orders -> orders.dns().isEmpty());
    }

    @Test
    void bothZonesOfATenantHaveItsLimit() {
        final Quota limit = new Quota(Optional.of(1000), Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        final Tenant served = Fixtures.served();
        final Tenant tracked = new Tenant(served.name(), served.attachments(), served.subnets(), served.routes(),
            served.nat(), Optional.of("office-out"), Optional.empty()).with(served.services())
            .with(new Protection(Optional.of("office-in"), true, limit));
        final NodePlan plan = Fixtures.plan(Fixtures.serving(Fixtures.network(tracked)));
        assertThat(plan.orders()).containsOnlyKeys(2, new VrfId(2).aclZone());
        assertThat(plan.orders().get(2).tenant()).contains(tracked.name());
        assertThat(plan.orders().get(2).sessions()).contains(1000);
        assertThat(plan.orders().get(2).dns()).isPresent();
        assertThat(plan.orders().get(new VrfId(2).aclZone()))
            .isEqualTo(new TenantOrders(Optional.empty(), Optional.of(1000), Optional.empty()));
    }

    @Test
    void aTenantWithoutAQuotaHasTheDefault() {
        final Tenant plain = Fixtures.tenant("t", 100);
        assertThat(Fixtures.plan(Fixtures.network(plain)).orders().get(2).sessions())
            .contains(Quota.DEFAULT_SESSIONS);
        assertThat(Fixtures.plan(Fixtures.network(plain.with(new Protection(Optional.empty(), false,
            Fixtures.UNLIMITED)))).orders().get(2).sessions()).isEmpty();
    }

    private static Resolver resolver(final Snapshot network) {
        final NodePlan plan = Fixtures.plan(Fixtures.serving(network));
        return plan.orders().get(plan.orders().firstKey()).dns().orElseThrow();
    }
}
