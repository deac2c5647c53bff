// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.stream.JsonReader;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.rules.Validator;
import io.penstock.requests.JudgedBodies;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.SystemMapNode;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactorySupplier;
import org.opendaylight.yangtools.yang.data.codec.gson.JsonParserStream;
import org.opendaylight.yangtools.yang.data.impl.schema.Builders;
import org.opendaylight.yangtools.yang.data.impl.schema.ImmutableNormalizedNodeStreamWriter;
import org.opendaylight.yangtools.yang.data.impl.schema.NormalizedNodeResult;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** JSON as RESTCONF takes it, through the real models, to intent. */
class NetworkReaderTest {
    static final EffectiveModelContext MODELS =
        BindingRuntimeHelpers.createEffectiveModel(Network.class, Acls.class);
    private static final Path SAMPLE = Path.of("../../service-chains/examples/sample");

    @Test
    void theSampleIsReadAndGoodButForItsNode() throws Exception {
        final Snapshot snapshot = reader().read(Optional.of(parse(Files.readString(SAMPLE.resolve(
            "network.json")))), Optional.of(parse(Files.readString(SAMPLE.resolve("acls.json")))));
        assertThat(snapshot.tenants()).containsOnlyKeys("blue", "green", "red");
        final Tenant blue = snapshot.tenants().get("blue");
        assertThat(blue.chain()).contains("protected");
        assertThat(blue.subnets()).containsExactly(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"),
            Ipv4.parse("10.0.0.1"), List.of()));
        assertThat(snapshot.chains().get("protected").functions()).containsExactly("fw1", "fwd1");
        assertThat(snapshot.functions().get("fwd1").failPolicy()).isEqualTo(NetworkFunction.FailPolicy.OPEN);
        assertThat(snapshot.functions().get("fw1").shared()).isFalse();
        assertThat(Validator.validate(snapshot, Allocations.none()))
            .isNotEmpty().allMatch(violation -> violation.rule().contains("there is no node 'edge1'"));
    }

    @Test
    void queuesOfAPortAreReadByTheirNumbers() throws Exception {
        final Snapshot snapshot = reader().read(Optional.of(parse("""
            {"penstock:network": {"node": [{"name": "edge1", "port": [
              {"name": "acc0", "role": "access"},
              {"name": "up0", "role": "uplink", "type": "dpdk", "devargs": "0000:03:00.0", "receive-queues": 12,
               "queue-core": [{"queue": 10, "core": 1}, {"queue": 2, "core": 65535}]}]}]}}""")), Optional.empty());
        assertThat(snapshot.nodes().get("edge1").ports()).extracting(Node.Port::queues).containsExactly(
            Node.Queues.ONE, new Node.Queues(12, new TreeMap<>(Map.of(2, 65535, 10, 1))));
    }

    @Test
    void entriesOfAListKeepTheOrderOfTheUser() throws Exception {
        final Snapshot snapshot = reader().read(Optional.empty(),
            Optional.of(parse(Files.readString(SAMPLE.resolve("acls.json")))));
        assertThat(snapshot.acls().get("backbone-out").entries()).extracting(Acl.Entry::name)
            .containsExactly("no-10", "no-172-16", "no-192-168", "rest");
    }

    @Test
    void portsAndIcmpAreRead() throws Exception {
        assertThat(entry("\"tcp\": {\"destination-port\": {\"lower-port\": 80, \"upper-port\": 90}}"))
            .satisfies(entry -> {
                assertThat(entry.match().protocol()).contains(6);
                assertThat(entry.match().ports().destination()).contains(new PortRange(80, 90));
                assertThat(entry.inexpressible()).isEmpty();
            });
        assertThat(entry("\"udp\": {\"source-port\": {\"operator\": \"gte\", \"port\": 1024}}").match().ports()
            .source()).contains(new PortRange(1024, 65535));
        assertThat(entry("\"icmp\": {\"type\": 8, \"code\": 0}")).satisfies(entry -> {
            assertThat(entry.match().protocol()).contains(1);
            assertThat(entry.match().icmp().type()).contains(8);
            assertThat(entry.match().icmp().code()).contains(0);
        });
    }

    @Test
    void anEntryIsAboutTheFamilyItNames() throws Exception {
        assertThat(entry("\"ipv6\": {\"source-ipv6-network\": \"2001:db8:1::/48\", \"protocol\": 6}"))
            .satisfies(entry -> {
                assertThat(entry.inexpressible()).isEmpty();
                assertThat(entry.match().family()).contains(IpFamily.IPV6);
                assertThat(entry.match().ipv6().source()).contains(Prefix6.parse("2001:db8:1::/48"));
                assertThat(entry.match().protocol()).contains(6);
            });
        assertThat(entry("\"ipv6\": {\"destination-ipv6-network\": \"2001:db8:2::/48\"}, \"icmp\": {\"type\": 128}"))
            .satisfies(entry -> {
                assertThat(entry.inexpressible()).isEmpty();
                assertThat(entry.match().ipv6().destination()).contains(Prefix6.parse("2001:db8:2::/48"));
                assertThat(entry.match().protocol()).contains(58);
            });
        assertThat(entry("\"ipv4\": {\"protocol\": 6}").match().family()).contains(IpFamily.IPV4);
        assertThat(entry("\"icmp\": {\"type\": 8}").match().family()).contains(IpFamily.IPV4);
        assertThat(entry("\"tcp\": {\"source-port\": {\"port\": 1}}").match().family()).isEmpty();
    }

    @Test
    void whatCannotBeExpressedIsNamed() throws Exception {
        assertThat(entry("\"ipv6\": {\"flow-label\": 6}").inexpressible())
            .containsExactly("matches/ipv6/flow-label");
        assertThat(entry("\"ipv6\": {\"protocol\": 17}, \"tcp\": {\"source-port\": {\"port\": 1}}").inexpressible())
            .containsExactly("matches/ipv6/protocol 17 together with tcp");
        assertThat(entry("\"ipv4\": {\"dscp\": 46}").inexpressible()).containsExactly("matches/ipv4/dscp");
        assertThat(entry("\"tcp\": {\"flags\": \"syn\"}").inexpressible()).containsExactly("matches/tcp/flags");
        assertThat(entry("\"tcp\": {\"destination-port\": {\"operator\": \"neq\", \"port\": 22}}").inexpressible())
            .containsExactly("destination-port/operator neq");
        assertThat(entry("\"tcp\": {\"destination-port\": {\"lower-port\": 90, \"upper-port\": 80}}").inexpressible())
            .containsExactly("destination-port/lower-port 90 above upper-port 80");
        assertThat(entry("\"ipv4\": {\"protocol\": 17}, \"tcp\": {\"source-port\": {\"port\": 1}}").inexpressible())
            .containsExactly("matches/ipv4/protocol 17 together with tcp");
        assertThat(entry("\"egress-interface\": \"up0\"").inexpressible()).containsExactly("matches/egress-interface");
    }

    @Test
    void natWithoutASourceIsNamed() {
        for (final String content : List.of("", """
                "twice": [{"seen-prefix": "10.99.0.0/24", "outside-prefix": "10.0.0.0/24"}]""")) {
            assertThatThrownBy(() -> nat(content)).isInstanceOf(UnreadableException.class)
                .hasMessage("tenant t: nat: needs a public-address, a pool, one-to-one, deterministic or port-block");
        }
    }

    @Test
    void translationsAreRead() throws Exception {
        assertThat(nat("""
            "pool": "p", "alg": ["ftp"],
            "port-block": [{"inside-prefix": "10.1.0.0/16", "public-prefix": "198.51.100.2/31", "block-size": 256,
              "most-blocks": 2}, {"inside-prefix": "10.2.0.0/16", "public-prefix": "198.51.100.4/30",
              "force": true, "drain": ["198.51.100.6/31"], "endpoint-independent": true,
              "notify-pool-usage": {"high-threshold": 80, "low-threshold": 70}}],
            "one-to-one": [{"inside-prefix": "10.0.0.8/30", "public-prefix": "198.51.100.8/30"}],
            "deterministic": [{"inside-prefix": "10.0.0.128/25", "public-prefix": "198.51.100.1/32",
              "endpoint-independent": true}],
            "port-forward": [
              {"name": "web", "protocol": "tcp", "public-port": 80, "inside-address": "10.0.0.5", "inside-port": 8080},
              {"name": "dns", "protocol": "udp", "public-port": 53, "inside-address": "10.0.0.6"}],
            "twice": [{"seen-prefix": "10.99.0.0/24", "outside-prefix": "10.0.0.0/24"}]"""))
            .isEqualTo(new Tenant.Nat(Optional.empty(), Optional.of("p"),
                List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.8/30"), Prefix.parse("198.51.100.8/30"))),
                List.of(new Tenant.Deterministic(Prefix.parse("10.0.0.128/25"), Prefix.parse("198.51.100.1/32"), true)),
                List.of(new Tenant.PortBlocks(Prefix.parse("10.1.0.0/16"), Prefix.parse("198.51.100.2/31"), 256, 2),
                    new Tenant.PortBlocks(Prefix.parse("10.2.0.0/16"), Prefix.parse("198.51.100.4/30"), 512, 4, true,
                        List.of(Prefix.parse("198.51.100.6/31")), Optional.of(new Thresholds(80, 70)), true)),
                List.of(new Tenant.PortForward("dns", 17, 53, Ipv4.parse("10.0.0.6"), 53),
                    new Tenant.PortForward("web", 6, 80, Ipv4.parse("10.0.0.5"), 8080)), Set.of(Alg.FTP),
                List.of(new Tenant.Twice(Prefix.parse("10.99.0.0/24"), Prefix.parse("10.0.0.0/24")))));
    }

    @Test
    void aLeafThatIsMissingIsNamed() {
        assertThatThrownBy(() -> nat("\"one-to-one\": [{\"inside-prefix\": \"10.0.0.8/32\"}]"))
            .isInstanceOf(UnreadableException.class)
            .hasMessage("tenant t: nat / one-to-one 10.0.0.8/32 / public-prefix: is missing");
        assertThatThrownBy(() -> nat("""
            "pool": "p", "port-forward": [{"name": "web", "protocol": "tcp", "public-port": 80}]"""))
            .isInstanceOf(UnreadableException.class)
            .hasMessage("tenant t: nat / port-forward web / inside-address: is missing");
        assertThatThrownBy(() -> nat("""
            "pool": "p", "twice": [{"seen-prefix": "10.99.0.0/24"}]"""))
            .isInstanceOf(UnreadableException.class)
            .hasMessage("tenant t: nat / twice 10.99.0.0/24 / outside-prefix: is missing");
    }

    @Test
    void aPrefixThatIsNoneIsNamed() {
        for (final String bad : List.of("10.0.0.0/33", "10.0.0.0", "10.0.0.256/24", "2001:db8::/32", "everything")) {
            final String outside = """
                "pool": "p", "twice": [{"seen-prefix": "10.99.0.0/24", "outside-prefix": "%s"}]""".formatted(bad);
            final String outsideLeaf = "tenant t: nat / twice 10.99.0.0/24 / outside-prefix: '";
            assertThatThrownBy(() -> nat(ChangedModels.LOOSE, outside)).isInstanceOf(UnreadableException.class)
                .hasMessageStartingWith(outsideLeaf).hasMessageContaining("' is not an IPv4 ");
            assertThat(refusal(outside)).hasValue(outsideLeaf + bad + "' is not an IPv4 prefix");
            final String seen = """
                "pool": "p", "twice": [{"seen-prefix": "%s", "outside-prefix": "10.0.0.0/24"}]""".formatted(bad);
            final String seenLeaf = "tenant t: nat / twice " + bad + " / seen-prefix: '";
            assertThatThrownBy(() -> nat(ChangedModels.LOOSE, seen)).isInstanceOf(UnreadableException.class)
                .hasMessageStartingWith(seenLeaf);
            assertThat(refusal(seen)).hasValue(seenLeaf + bad + "' is not an IPv4 prefix");
        }
    }

    private static Tenant.Nat nat(final String content) throws Exception {
        return nat(MODELS, content);
    }

    private static Tenant.Nat nat(final EffectiveModelContext models, final String content) throws Exception {
        return reader().read(Optional.of(parse(models,
            "{\"penstock:network\": {\"tenant\": [{\"name\": \"t\", \"nat\": {" + content + "}}]}}")), Optional.empty())
            .tenants().get("t").nat().orElseThrow();
    }

    /** What the filter of requests says. */
    private static Optional<String> refusal(final String nat) {
        return new JudgedBodies(MODELS).refusal("PUT", "penstock:network/tenant=t",
            "{\"penstock:tenant\": [{\"name\": \"t\", \"nat\": {" + nat + "}}]}");
    }

    @Test
    void whatWasNotChangedIsTheSameObject() throws Exception {
        final NetworkReader reader = reader();
        final ContainerNode before = (ContainerNode) parse("""
            {"penstock:network": {"tenant": [{"name": "a"}, {"name": "b"}], "chain": [{"name": "c"}]}}""");
        final Snapshot first = reader.read(Optional.of(before), Optional.empty());
        assertThat(reader.read(Optional.of(before), Optional.empty())).isSameAs(first);

        final ContainerNode after = withTenant(before, (ContainerNode) parse("""
            {"penstock:network": {"tenant": [{"name": "b", "chain": "c"}]}}"""));
        final Snapshot second = reader.read(Optional.of(after), Optional.empty());
        assertThat(second).isEqualTo(reader().read(Optional.of(after), Optional.empty()));
        assertThat(second.tenants().get("a")).isSameAs(first.tenants().get("a"));
        assertThat(second.tenants().get("b").chain()).contains("c");

        // A refused change comes in between.
        assertThat(reader.read(Optional.of(before), Optional.empty())).isEqualTo(first);
        assertThat(reader.read(Optional.empty(), Optional.empty())).isEqualTo(Snapshot.empty());
    }

    /** The network with the tenant of another one put into it, as the datastore does it. */
    private static ContainerNode withTenant(final ContainerNode network, final ContainerNode other) {
        final NodeIdentifier list = NodeIdentifier.create(QName.create(Network.QNAME, "tenant"));
        final SystemMapNode tenants = (SystemMapNode) network.getChildByArg(list);
        final MapEntryNode tenant = ((SystemMapNode) other.getChildByArg(list)).body().iterator().next();
        return Builders.containerBuilder(network)
            .withChild(Builders.mapBuilder(tenants).withChild(tenant).build()).build();
    }

    private static Acl.Entry entry(final String matches) throws Exception {
        final String list = """
            {"ietf-access-control-list:acls": {"acl": [{"name": "a", "aces": {"ace": [{"name": "e",
              "matches": {%s}, "actions": {"forwarding": "ietf-access-control-list:accept"}}]}}]}}""";
        return reader().read(Optional.empty(), Optional.of(parse(list.formatted(matches)))).acls().get("a")
            .entries().get(0);
    }

    /** A reader by the real models. */
    static NetworkReader reader() {
        return new NetworkReader(() -> MODELS);
    }

    static NormalizedNode parse(final String json) throws IOException {
        return parse(MODELS, json);
    }

    static NormalizedNode parse(final EffectiveModelContext models, final String json) throws IOException {
        final NormalizedNodeResult result = new NormalizedNodeResult();
        try (JsonParserStream parser = JsonParserStream.create(ImmutableNormalizedNodeStreamWriter.from(result),
                JSONCodecFactorySupplier.RFC7951.getShared(models))) {
            parser.parse(new JsonReader(new StringReader(json)));
        }
        return result.getResult();
    }
}
