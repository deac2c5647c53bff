// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.requests.JudgedBodies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;

/** Services, protection and limits of a tenant: JSON as RESTCONF takes it, through the real models, to intent. */
class ServicesReaderTest {
    /** That of a tenant without one. */
    private static final Quota QUOTA = new Quota(Optional.of(50_000), Optional.of(10_000), Optional.of(250),
        Optional.empty(), Optional.empty(), Optional.of(50), Optional.empty(), Optional.of(4096), true,
        Optional.of(4096));

    @Test
    void aTenantWithoutServicesHasNone() throws Exception {
        final Tenant tenant = tenant("""
            "attachment": [{"name": "lan", "node": "n", "port": "p", "vlan": 1}]""");
        assertThat(tenant.services()).isEqualTo(Services.NONE);
        assertThat(tenant.protection()).isEqualTo(new Protection(Optional.empty(), false, QUOTA));
        assertThat(tenant.attachments()).singleElement().satisfies(each -> assertThat(each.trusted()).isFalse());
    }

    @Test
    void everythingOfDhcpIsRead() throws Exception {
        assertThat(tenant("""
            "dhcp": {"conflict-probe": 0, "subnet": [{"prefix": "10.0.0.0/24",
              "pool": [{"first": "10.0.0.100", "last": "10.0.0.110"}, {"first": "10.0.0.20", "last": "10.0.0.30"}],
              "exclude": [{"first": "10.0.0.25"}, {"first": "10.0.0.101", "last": "10.0.0.102"}],
              "reservation": [
                {"address": "10.0.0.9", "mac": "02:00:00:00:00:0A", "host-name": "printer"},
                {"address": "10.0.0.10", "attachment": "lan"}, {"address": "10.0.0.11", "circuit-id": "00FF"}],
              "lease-time": 86400, "router": ["10.0.0.3", "10.0.0.2"], "dns-server": ["10.0.0.5", "10.0.0.4"],
              "domain": "example.net", "search": ["z.example.net", "a.example.net"], "ntp-server": ["10.0.0.7"],
              "mtu": 1400, "static-route": [{"prefix": "10.9.0.0/16", "next-hop": "10.0.0.2"}],
              "next-server": "10.0.0.8", "tftp-server": "boot", "boot-file": "image",
              "option": [{"code": 200, "type": "uint8", "value": "1"}, {"code": 43, "type": "hex", "value": "ff"}]}]}
            """).services().dhcp()).contains(new Dhcp(0, List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"),
                List.of(range("10.0.0.20", "10.0.0.30"), range("10.0.0.100", "10.0.0.110")),
                List.of(range("10.0.0.25", "10.0.0.25"), range("10.0.0.101", "10.0.0.102")),
                List.of(new Dhcp.Reservation(Ipv4.parse("10.0.0.9"), Optional.of(Mac.parse("02:00:00:00:00:0a")),
                        Optional.empty(), Optional.empty(), Optional.of("printer")),
                    new Dhcp.Reservation(Ipv4.parse("10.0.0.10"), Optional.empty(), Optional.of("lan"),
                        Optional.empty(), Optional.empty()),
                    new Dhcp.Reservation(Ipv4.parse("10.0.0.11"), Optional.empty(), Optional.empty(),
                        Optional.of("00ff"), Optional.empty())),
                86400, new Dhcp.Options(addresses("10.0.0.3", "10.0.0.2"), addresses("10.0.0.5", "10.0.0.4"),
                    Optional.of("example.net"), List.of("z.example.net", "a.example.net"), addresses("10.0.0.7"),
                    Optional.of(1400), List.of(new Route(Prefix.parse("10.9.0.0/16"), Ipv4.parse("10.0.0.2"))),
                    Optional.of(Ipv4.parse("10.0.0.8")), Optional.of("boot"), Optional.of("image"),
                    List.of(new Dhcp.RawOption(43, "hex", "ff"), new Dhcp.RawOption(200, "uint8", "1")))))));
    }

    @Test
    void whatDhcpDoesNotSayHasItsDefault() throws Exception {
        assertThat(tenant("\"dhcp\": {\"subnet\": [{\"prefix\": \"10.0.0.0/24\"}]}").services().dhcp()).contains(
            new Dhcp(200, List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"), List.of(), List.of(), List.of(), 3600,
                Dhcp.Options.NONE))));
        assertThat(tenant("\"dhcp\": {}").services().dhcp()).contains(new Dhcp(200, List.of()));
    }

    @Test
    void everythingOfDnsIsRead() throws Exception {
        final Tenant tenant = tenant("""
            "dns": {"domain": "example.net", "record": [{"name": "www", "type": "A", "data": "10.0.0.6"},
                {"name": "www", "type": "A", "data": "10.0.0.5", "ttl": 60}, {"name": "@", "type": "TXT", "data": "x"}],
              "upstream": [{"address": "2001:db8::1"}, {"address": "10.0.0.53", "inside": true}],
              "queries-per-second": 500, "dns64": "64:ff9b::/96"}""");
        assertThat(tenant.services().dns()).contains(new Dns(Optional.of("example.net"),
            List.of(new Dns.Record("@", "TXT", 3600, "x"), new Dns.Record("www", "A", 60, "10.0.0.5"),
                new Dns.Record("www", "A", 3600, "10.0.0.6")),
            List.of(new Dns.Upstream("2001:db8::1", false), new Dns.Upstream("10.0.0.53", true)),
            Optional.of(500), Optional.of("64:ff9b::/96")));
        assertThat(tenant("\"dns\": {}").services().dns()).contains(
            new Dns(Optional.empty(), List.of(), List.of(), Optional.of(1000), Optional.empty()));
    }

    @Test
    void protectionIsRead() throws Exception {
        final Tenant tenant = tenant("""
            "attachment": [{"name": "lan", "node": "n", "port": "p", "vlan": 1, "trusted": true}],
            "ingress-acl": "in", "stateful": true, "quota": {"sessions": 16, "new-sessions": 2, "fragments": 300,
              "bandwidth-out": 64, "bandwidth-in": 65, "controller-packets": 5, "acl-rules": 6,
              "leases": 7, "learned-hosts": 8}""");
        assertThat(tenant.attachments()).singleElement().satisfies(each -> assertThat(each.trusted()).isTrue());
        assertThat(tenant.protection()).isEqualTo(new Protection(Optional.of("in"), true,
            new Quota(Optional.of(16), Optional.of(2), Optional.of(64L), Optional.of(65L), Optional.of(5),
                Optional.of(6), Optional.of(7), Optional.of(8)).withFragments(300)));
    }

    @Test
    void unlimitedIsRead() throws Exception {
        final Optional<Integer> none = Optional.of(Quota.UNLIMITED);
        assertThat(tenant("\"quota\": {\"sessions\": \"unlimited\", \"new-sessions\": \"unlimited\", "
            + "\"fragments\": \"unlimited\", \"leases\": \"unlimited\"}").protection().quota())
            .isEqualTo(new Quota(none, none, Optional.empty(), Optional.empty(), Optional.of(50), Optional.empty(),
                none, Optional.of(4096)).withFragments(Quota.UNLIMITED));
        assertThat(tenant("\"quota\": {}").protection().quota()).isEqualTo(QUOTA);
    }

    /** What the model says of a tenant without a quota is what it has. */
    @Test
    void theDefaultsOfTheModelAreThoseOfTheCode() {
        final Map<String, Integer> defaults = Map.of("sessions", Quota.NONE.mostSessions().orElseThrow(),
            "new-sessions", Quota.NONE.mostNewSessions(TenantMeter.NEW_SESSIONS.rate()).orElseThrow(),
            "fragments", Quota.NONE.mostFragments(TenantMeter.FRAGMENTS.rate()).orElseThrow(),
            "leases", Quota.NONE.mostLeases().orElseThrow(), "learned-hosts", Quota.NONE.mostLearnedHosts(),
            "controller-packets", TenantMeter.ERROR.rate());
        final DataNodeContainer quota = (DataNodeContainer) NetworkReaderTest.MODELS.findDataTreeChild(
            Stream.of("network", "tenant", "quota").map(name -> QName.create(Network.QNAME, name)).toList())
            .orElseThrow();
        assertThat(quota.getChildNodes()).hasSize(9).allSatisfy(leaf -> {
            final Integer own = defaults.get(leaf.getQName().getLocalName());
            assertThat(((LeafSchemaNode) leaf).getType().getDefaultValue().map(Object::toString))
                .as(leaf.toString()).isEqualTo(Optional.ofNullable(own).map(Object::toString));
        });
        assertThat(Stream.of(TenantMeter.HOST_CONFIGURATION, TenantMeter.NEIGHBOUR, TenantMeter.BLOCK_REQUESTS))
            .allMatch(meter -> meter.rate() == TenantMeter.ERROR.rate());
    }

    @Test
    void resolversOfTheProviderKeepTheirOrder() throws Exception {
        final Snapshot snapshot = NetworkReaderTest.reader().read(Optional.of(NetworkReaderTest.parse(
            "{\"penstock:network\": {\"resolver\": {\"upstream\": [\"198.51.100.9\", \"198.51.100.53\"]}}}")),
            Optional.empty());
        assertThat(snapshot.backbone().resolvers()).containsExactly("198.51.100.9", "198.51.100.53");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "'dhcp': {'subnet': [{'prefix': '10.0.0.0/33'}]} "
            + "| dhcp / subnet 10.0.0.0/33 / prefix: '10.0.0.0/33' is not an IPv4 prefix",
        "SUBNET 'pool': [{'first': '10.0.0.9'}] | IN pool 10.0.0.9 / last: is missing",
        "SUBNET 'pool': [{'first': 'a', 'last': '10.0.0.9'}] | IN pool a / first: 'a' is not an IPv4 address",
        "SUBNET 'exclude': [{'first': '10.0.0.9', 'last': 'b'}] "
            + "| IN exclude 10.0.0.9 / last: 'b' is not an IPv4 address",
        "SUBNET 'reservation': [{'address': '10.0.0.9', 'mac': '02:00'}] "
            + "| IN reservation 10.0.0.9 / mac: '02:00' is not a MAC address",
        "SUBNET 'reservation': [{'address': '::1', 'mac': '02:00:00:00:00:01'}] "
            + "| IN reservation ::1 / address: '::1' is not an IPv4 address",
        "SUBNET 'lease-time': 4294967295 | IN lease-time: 4294967295 is above 2147483647",
        "SUBNET 'router': ['10.0.0.2', 'c'] | IN router: 'c' is not an IPv4 address",
        "SUBNET 'ntp-server': ['time'] | IN ntp-server: 'time' is not an IPv4 address",
        "SUBNET 'next-server': 'd' | IN next-server: 'd' is not an IPv4 address",
        "SUBNET 'static-route': [{'prefix': '10.9.0.0/16'}] | IN static-route 10.9.0.0/16 / next-hop: is missing",
        "SUBNET 'static-route': [{'prefix': '10.9.0.0', 'next-hop': '10.0.0.2'}] "
            + "| IN static-route 10.9.0.0 / prefix: '10.9.0.0' is not an IPv4 prefix",
        "SUBNET 'option': [{'code': 43, 'value': 'ff'}] | IN option 43 / type: is missing",
        "SUBNET 'option': [{'code': 43, 'type': 'hex'}] | IN option 43 / value: is missing",
        "'dns': {'record': [{'name': 'a', 'type': 'A', 'data': '10.0.0.1', 'ttl': 2147483648}]} "
            + "| dns / record a / ttl: 2147483648 is above 2147483647",
        "'quota': {'sessions': 4294967295} | quota / sessions: 4294967295 is above 2147483647"})
    void aLeafThatIsMissingOrHasNotItsFormIsNamed(final String content, final String said) {
        final String subnet = "dhcp / subnet 10.0.0.0/24 / ";
        final String whole = content.startsWith("SUBNET")
            ? "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24'," + content.substring(6) + "}]}" : content;
        final String message = "tenant t: " + said.replace("IN ", subnet);
        assertThatThrownBy(() -> tenant(ChangedModels.LOOSE, whole.replace('\'', '"')))
            .isInstanceOf(UnreadableException.class).hasMessage(message);
        // A request does not come so far, unless something is missing.
        final Optional<String> refusal = new JudgedBodies(NetworkReaderTest.MODELS).refusal("PUT",
            "penstock:network/tenant=t", ("{'penstock:tenant': [{'name': 't', " + whole + "}]}").replace('\'', '"'));
        if (said.endsWith("is missing")) {
            assertThat(refusal).isEmpty();
        } else {
            // It has all keys of an entry.
            assertThat(refusal).hasValueSatisfying(each -> assertThat(each.replace("record a A 10.0.0.1", "record a"))
                .startsWith(message.split(": '|: [0-9]")[0] + ": "));
        }
    }

    private static Tenant tenant(final String content) throws Exception {
        return tenant(NetworkReaderTest.MODELS, content);
    }

    private static Tenant tenant(final EffectiveModelContext models, final String content) throws Exception {
        return NetworkReaderTest.reader().read(Optional.of(NetworkReaderTest.parse(models,
            "{\"penstock:network\": {\"tenant\": [{\"name\": \"t\", " + content + "}]}}")), Optional.empty())
            .tenants().get("t");
    }

    private static Range range(final String first, final String last) {
        return new Range(Ipv4.parse(first), Ipv4.parse(last));
    }

    private static List<Ipv4> addresses(final String... texts) {
        return Stream.of(texts).map(Ipv4::parse).toList();
    }
}
