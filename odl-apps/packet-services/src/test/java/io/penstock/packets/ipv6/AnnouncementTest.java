// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.plan.DualStack;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnnouncementTest {
    @Test
    void theGatewayIsTheResolverWhereItAnswersAndNothingElseIsConfigured() {
        final Tenant plain = DualStack.tenant();
        final Tenant served = DualStack.served();
        assertThat(resolvers(plain, "a")).isEmpty();
        assertThat(resolvers(served, "a")).containsExactly("2001:db8:1::1");
        assertThat(resolvers(served, "d")).containsExactly("2001:db8:2::1");
        assertThat(Announcement.of(served, attachment(served, "a")).advertisement(List.of()).resolvers())
            .isEqualTo(Addresses.bytes(List.of(Ipv6.parse("2001:db8:1::1"))));
    }

    @Test
    void oneGatewayOfALinkIsEnough() {
        assertThat(resolvers(linked(Advertisement.PLAIN), "a")).containsExactly("2001:db8:1::1");
    }

    @Test
    void whatIsConfiguredOnALinkStandsAlone() {
        final Tenant told = linked(new Advertisement(true, false, Advertisement.INTERVAL, 0, Optional.empty(),
            List.of(Ipv6.parse("2001:db8::53")), List.of(), List.of()));
        assertThat(resolvers(told, "a")).containsExactly("2001:db8::53");
    }

    /** Two subnets on each link, of which the second one tells something. */
    private static Tenant linked(final Advertisement second) {
        final Ipv6Side.Subnet other = DualStack.subnet("2001:db8:5::/64", List.of());
        return DualStack.served().with(new Ipv6Side(List.of(DualStack.subnet("2001:db8:1::/64", List.of()),
            new Ipv6Side.Subnet(other.prefix(), other.gateway(), other.attachments(), second)), List.of()));
    }

    private static List<String> resolvers(final Tenant tenant, final String attachment) {
        return Announcement.of(tenant, attachment(tenant, attachment)).resolvers().stream().map(Ipv6::toString)
            .toList();
    }

    private static Tenant.Attachment attachment(final Tenant tenant, final String name) {
        return tenant.attachments().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }
}
