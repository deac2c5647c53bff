// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tenant comes to its node and to no other, and leaves nothing behind. */
@OnEdge
@Tag("safety")
class TenantIT {
    private static final int VLAN = 100;

    private final Edge edge;

    TenantIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @Test
    void aTenantIsOnItsNodeAndLeavesNothing() {
        final List<String> before = edge.first().flows();
        final List<String> elsewhere = edge.second().flows();
        edge.client().add("tenant", Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL));
        edge.awaitSync();
        assertThat(edge.state("acme")).isEqualTo("active");
        assertThat(edge.first().isClassified(VLAN)).isTrue();
        final int vrf = edge.vrf("acme");
        assertThat(edge.first().flowsOf(vrf)).isNotEmpty();
        assertThat(edge.first().zones()).contains(vrf);
        assertThat(edge.second().flows()).isEqualTo(elsewhere);
        assertThat(edge.second().flowsOf(vrf)).isEmpty();
        assertThat(edge.second().zones()).doesNotContain(vrf);

        edge.client().delete(Documents.path("acme"));
        edge.awaitSync();
        assertThat(edge.tenant("acme")).isEmpty();
        assertThat(edge.first().flowsOf(vrf)).isEmpty();
        assertThat(edge.first().zones()).doesNotContain(vrf);
        assertThat(edge.first().flows()).isEqualTo(before);
    }
}
