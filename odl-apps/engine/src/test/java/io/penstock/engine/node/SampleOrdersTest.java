// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.NetworkFunction.Scheduling;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.plan.TenantOrders;
import io.penstock.pipeline.stage.SessionOrder;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.NodeProtocol;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The samples of orders are what is written; tests of the programs of a node see that these read them. */
class SampleOrdersTest {
    private static final NodeProtocol PROTOCOL = NodeProtocol.DEFINED;
    /** SampleTraceTest has the first; AgentExchangeIT of southbound-ovsdb looks at the form of the others. */
    private static final Set<String> OF_OTHERS = Set.of("trace/usual", "trace/full", "cache/usual", "orders/usual");

    private static final Map<String, String> WRITTEN = Map.ofEntries(
        entry("tenant/usual", of(1, Optional.empty()).get(NodeKeys.TENANT)),
        entry("sessions/usual", of(50_000, Optional.empty()).get(NodeKeys.SESSIONS)),
        entry("dns/usual", dns(new TenantOrders.Resolver(new Dns(Optional.of("corp.example"),
            List.of(new Dns.Record("www", "A", 300, "10.0.0.5")), List.of(new Dns.Upstream("192.0.2.53", false)),
            Optional.empty(), Optional.empty()), List.of("240.0.2.0"),
            List.of(new TenantOrders.Host("host1", "10.0.0.17")), List.of("10.0.0.0/24")))),
        entry("dns/full", dns(new TenantOrders.Resolver(new Dns(Optional.of("campus.example"),
            List.of(new Dns.Record("www", "AAAA", 60, "2001:db8::80"),
                new Dns.Record("@", "TXT", 0, "\"a<b\" \\é"), new Dns.Record("@", "MX", 300, "10 www")),
            List.of(new Dns.Upstream("10.4.0.53", true), new Dns.Upstream("2001:db8::53", true)),
            Optional.of(500), Optional.of("64:ff9b::/96")), List.of("240.0.2.0", "240.0.2.1", "fd50:7300:0:2::53"),
            List.of(new TenantOrders.Host("desk1", "10.3.0.101"), new TenantOrders.Host("not a name", "10.3.0.102")),
            List.of("10.3.0.0/24", "10.4.0.0/24")))),
        entry("session-flows/usual", AgentOrders.json(SessionOrder.content())),
        entry("function/usual", AgentOrders.function(new Start("forwarder", Optional.empty(), Optional.empty()))),
        entry("function/full", AgentOrders.function(
            new Start("packet-filter", Optional.of(0), Optional.of(Scheduling.LOW)))));

    @Test
    void eachSampleIsWrittenSomewhere() {
        assertThat(Stream.concat(WRITTEN.keySet().stream(), OF_OTHERS.stream()))
            .containsExactlyInAnyOrderElementsOf(PROTOCOL.writtenByController().keySet());
    }

    static Stream<String> samples() {
        return WRITTEN.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void whatIsWrittenIsTheSample(final String name) {
        PROTOCOL.check(name, WRITTEN.get(name));
    }

    @Test
    void eachSchedulingIsDefined() {
        Arrays.stream(Scheduling.values()).forEach(how -> PROTOCOL.checkForm(NodeKeys.FUNCTION,
            AgentOrders.function(new Start("f", Optional.empty(), Optional.of(how)))));
        assertThat(PROTOCOL.choices("function", "scheduling")).containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Scheduling.values()).map(how -> how.name().toLowerCase(Locale.ROOT)).toList());
    }

    private static String dns(final TenantOrders.Resolver resolver) {
        return of(1, Optional.of(resolver)).get(NodeKeys.DNS);
    }

    private static Map<String, String> of(final int sessions, final Optional<TenantOrders.Resolver> dns) {
        return new AgentOrders().of(new TenantOrders(Optional.of("red"), Optional.of(sessions), dns));
    }
}
