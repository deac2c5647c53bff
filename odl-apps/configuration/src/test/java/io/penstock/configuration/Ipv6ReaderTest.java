// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.requests.JudgedBodies;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** IPv6 of tenants and of the backbone: JSON as RESTCONF takes it, through the real models, to intent. */
class Ipv6ReaderTest {
    @Test
    void aTenantWithoutIpv6HasNone() throws Exception {
        assertThat(side("")).isEqualTo(Ipv6Side.NONE);
        assertThat(side("\"ipv6\": {}")).isEqualTo(Ipv6Side.NONE);
    }

    @Test
    void whatIsNotSaidHasItsDefault() throws Exception {
        assertThat(side("\"ipv6\": {\"subnet\": [{\"prefix\": \"2001:db8:1::/64\"}]}")).isEqualTo(new Ipv6Side(
            List.of(new Ipv6Side.Subnet(Prefix6.parse("2001:db8:1::/64"), Ipv6.parse("2001:db8:1::1"), List.of(),
                Advertisement.PLAIN)), List.of()));
        assertThat(side("\"ipv6\": {\"subnet\": [{\"prefix\": \"2001:db8:1::/64\", \"router-advertisement\":"
            + " {\"interval\": 10}}]}").subnets().get(0).advertisement().lifetime()).isEqualTo(30);
    }

    @Test
    void everythingIsRead() throws Exception {
        assertThat(side("""
            "ipv6": {"subnet": [{"prefix": "2001:db8:2::/80", "gateway": "2001:DB8:2::fe", "attachment": ["b", "a"],
                "router-advertisement": {"slaac": false, "other-config": true, "interval": 30, "lifetime": 0,
                  "mtu": 1400, "rdnss": ["2001:db8::2", "2001:db8::1"], "dnssl": ["z.example", "a.example"],
                  "ntp-server": ["2001:db8::7"]}}, {"prefix": "2001:db8:1::/64"}],
              "route": [{"prefix": "2001:db8:9::/48", "next-hop": "2001:db8:2::9"}]}""")).isEqualTo(new Ipv6Side(
            List.of(new Ipv6Side.Subnet(Prefix6.parse("2001:db8:1::/64"), Ipv6.parse("2001:db8:1::1"), List.of(),
                    Advertisement.PLAIN),
                new Ipv6Side.Subnet(Prefix6.parse("2001:db8:2::/80"), Ipv6.parse("2001:db8:2::fe"), List.of("a", "b"),
                    new Advertisement(false, true, 30, 0, Optional.of(1400),
                        List.of(Ipv6.parse("2001:db8::2"), Ipv6.parse("2001:db8::1")),
                        List.of("z.example", "a.example"), List.of(Ipv6.parse("2001:db8::7"))))),
            List.of(new Route6(Prefix6.parse("2001:db8:9::/48"), Ipv6.parse("2001:db8:2::9")))));
    }

    @Test
    void theBackboneIsRead() throws Exception {
        assertThat(network("""
            "backbone": {"ipv6": {"interface": [{"node": "n", "port": "up0", "prefix": "2001:db8:ffff::/64",
                "address": "2001:db8:ffff::2"}], "route": [{"prefix": "::/0", "next-hop": "2001:db8:ffff::1"}]}}""")
            .backbone().ipv6()).isEqualTo(new Backbone6(
                List.of(new Backbone6.Interface("n", "up0", Prefix6.parse("2001:db8:ffff::/64"),
                    Ipv6.parse("2001:db8:ffff::2"))),
                List.of(new Route6(Prefix6.DEFAULT, Ipv6.parse("2001:db8:ffff::1")))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "'subnet': [{'prefix': '10.0.0.0/8'}] | subnet 10.0.0.0/8 / prefix: '10.0.0.0' is not an IPv6 address",
        "'subnet': [{'prefix': '2001:db8::/129'}] "
            + "| subnet 2001:db8::/129 / prefix: '2001:db8::/129' is not an IPv6 prefix",
        "'subnet': [{'prefix': '2001:db8::/64', 'gateway': 'x'}] "
            + "| subnet 2001:db8::/64 / gateway: 'x' is not an IPv6 address",
        "'route': [{'prefix': '2001:db8::/64'}] | route 2001:db8::/64 / next-hop: is missing",
        "'subnet': [{'prefix': '2001:db8::/64', 'router-advertisement': {'rdnss': ['1.2.3.4']}}] "
            + "| subnet 2001:db8::/64 / router-advertisement / rdnss: '1.2.3.4' is not an IPv6 address"})
    void whatHasNoFormIsNamed(final String content, final String message) {
        final String whole = "\"ipv6\": {" + content.replace('\'', '"') + "}";
        assertThatThrownBy(() -> network(ChangedModels.LOOSE, "\"tenant\": [{\"name\": \"t\", " + whole + "}]"))
            .isInstanceOf(UnreadableException.class).hasMessage("tenant t: ipv6 / " + message);
        // A request does not come so far, unless something is missing.
        final Optional<String> refusal = new JudgedBodies(NetworkReaderTest.MODELS).refusal("PUT",
            "penstock:network/tenant=t", "{\"penstock:tenant\": [{\"name\": \"t\", " + whole + "}]}");
        if (message.endsWith("is missing")) {
            assertThat(refusal).isEmpty();
        } else {
            assertThat(refusal).hasValueSatisfying(
                each -> assertThat(each).startsWith("tenant t: ipv6 / " + message.split(": '")[0] + ": '"));
        }
    }

    private static Ipv6Side side(final String content) throws Exception {
        return network("\"tenant\": [{\"name\": \"t\"" + (content.isEmpty() ? "" : ", " + content) + "}]").tenants()
            .get("t").ipv6();
    }

    private static Snapshot network(final String content) throws Exception {
        return network(NetworkReaderTest.MODELS, content);
    }

    private static Snapshot network(final EffectiveModelContext models, final String content) throws Exception {
        return NetworkReaderTest.reader().read(
            Optional.of(NetworkReaderTest.parse(models, "{\"penstock:network\": {" + content + "}}")),
            Optional.empty());
    }
}
