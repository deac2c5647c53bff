// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** DHCP clients as hosts have them. Every test has tenants of its own; all tenants have the same addresses. */
@Tag("safety")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class DhcpIT {
    private static final int WEB = 80;
    private static final String POOL = "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]";
    private static final String UNLEASED = "address of a DHCP pool or reservation without a lease";

    private final EdgeSystem system;
    private final EdgeNode node;
    private int vlan = 3000;

    DhcpIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void reset() {
        system.reset();
        node.network().server().serveTcp(WEB);
    }

    /** A tenant on a VLAN that nobody had yet; what its subnet serves. */
    private int provision(final String name, final String dhcpOfSubnet, final String more) {
        vlan++;
        system.restconf().put(Intent.path(name), Intent.tenants(List.of(Intent.tenant(name, node, vlan,
            Intent.FIRST_POOL, "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', " + dhcpOfSubnet + "}]" + more))));
        system.awaitApplied();
        return vlan;
    }

    /** A tenant with one broadcast domain on two VLANs. */
    private String twoPlaces(final String name, final int lan, final int lab, final String dhcpOfSubnet) {
        return """
            {'name': '%s', 'attachment': [{'name': 'lan', 'node': '%s', 'port': '%s', 'vlan': %d},
                                          {'name': 'lab', 'node': '%2$s', 'port': '%3$s', 'vlan': %d}],
             'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': '10.0.0.1'}], 'nat': {'pool': '%s'},
             'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', %s}]}}"""
            .formatted(name, node.name(), EdgeNode.ACCESS, lan, lab, Intent.FIRST_POOL, dhcpOfSubnet);
    }

    private DhcpClient client(final int where) {
        return new DhcpClient(node.network().host(EdgeNode.ACCESS, where));
    }

    /** A lease as it is stored. */
    private Optional<JsonObject> lease(final String tenant, final String address) {
        final JsonObject stored = system.restconf().read("penstock-allocation:allocations")
            .getAsJsonObject("penstock-allocation:allocations");
        return StreamSupport.stream(stored.getAsJsonArray("tenant").spliterator(), false)
            .map(JsonElement::getAsJsonObject).filter(each -> each.get("name").getAsString().equals(tenant))
            .filter(each -> each.has("lease"))
            .flatMap(each -> StreamSupport.stream(each.getAsJsonArray("lease").spliterator(), false))
            .map(JsonElement::getAsJsonObject).filter(each -> each.get("address").getAsString().equals(address))
            .findFirst();
    }

    private String state(final String tenant, final String address) {
        return lease(tenant, address).map(each -> each.get("state").getAsString()).orElse("none");
    }

    @Test
    void everyOptionArrives() {
        final int at = provision("options", POOL + """
            , 'lease-time': 7200, 'dns-server': ['10.0.0.53', '192.88.99.53'], 'domain': 'options.example',
            'search': ['options.example', 'lab.example'], 'ntp-server': ['192.88.99.123'], 'mtu': 1400,
            'static-route': [{'prefix': '172.16.0.0/12', 'next-hop': '10.0.0.254'}], 'next-server': '10.0.0.30',
            'tftp-server': 'boot.example', 'boot-file': 'linux.efi',
            'option': [{'code': 150, 'type': 'ipv4-address', 'value': '10.0.0.31'}]""", "}");
        final DhcpClient small = client(at);
        assertThat(small.udhcpc("-O", "search", "-O", "mtu", "-O", "ntpsrv", "-O", "staticroutes", "-O", "tftp",
            "-O", "bootfile", "-O", "150", "-x", "hostname:till")).startsWith("10.0.0.1");
        assertThat(small.told()).containsAllEntriesOf(Map.ofEntries(Map.entry("subnet", "255.255.255.0"),
            Map.entry("router", "10.0.0.1"), Map.entry("dns", "10.0.0.53 192.88.99.53"),
            Map.entry("domain", "options.example"), Map.entry("search", "options.example lab.example"),
            Map.entry("ntpsrv", "192.88.99.123"), Map.entry("mtu", "1400"), Map.entry("lease", "7200"),
            Map.entry("staticroutes", "172.16.0.0/12 10.0.0.254 0.0.0.0/0 10.0.0.1"),
            Map.entry("tftp", "boot.example"), Map.entry("bootfile", "linux.efi"),
            Map.entry("siaddr", "10.0.0.30"), Map.entry("serverid", "10.0.0.1"), Map.entry("opt150", "0a00001f")));
        assertThat(lease("options", small.address()).orElseThrow().get("host-name").getAsString()).isEqualTo("till");

        final DhcpClient big = client(at);
        final String address = big.dhclient("""
            option boot-servers code 150 = array of ip-address;
            option classless-routes code 121 = array of unsigned integer 8;
            also request classless-routes, ntp-servers, interface-mtu, domain-search, boot-servers,
              tftp-server-name, bootfile-name;
            send host-name "desk";
            """);
        assertThat(address).startsWith("10.0.0.1").isNotEqualTo(small.address());
        assertThat(big.told()).containsAllEntriesOf(Map.ofEntries(Map.entry("new_subnet_mask", "255.255.255.0"),
            Map.entry("new_routers", "10.0.0.1"), Map.entry("new_domain_name_servers", "10.0.0.53 192.88.99.53"),
            Map.entry("new_domain_name", "options.example"), Map.entry("new_ntp_servers", "192.88.99.123"),
            Map.entry("new_domain_search", "options.example. lab.example."), Map.entry("new_interface_mtu", "1400"),
            Map.entry("new_classless_routes", "12 172 16 10 0 0 254 0 10 0 0 1"),
            Map.entry("new_dhcp_lease_time", "7200"), Map.entry("new_boot_servers", "10.0.0.31"),
            Map.entry("new_tftp_server_name", "boot.example"), Map.entry("new_bootfile_name", "linux.efi"),
            Map.entry("new_next_server", "10.0.0.30")));
        big.host().reaches(EdgeNetwork.SERVER);
        small.host().reaches(EdgeNetwork.SERVER);
    }

    @Test
    void tenantsGetTheSameAddressAndSeeNothingOfEachOther() {
        final DhcpClient here = client(provision("twin-a", POOL, "}"));
        final DhcpClient there = client(provision("twin-b", POOL, "}"));
        try (var heard = there.host().capture("udp port 67 or udp port 68")) {
            assertThat(here.udhcpc()).isEqualTo("10.0.0.100");
            assertThat(heard.all()).isEmpty();
        }
        assertThat(there.udhcpc()).isEqualTo("10.0.0.100");
        assertThat(here.host().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("twin-a"));
        assertThat(there.host().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("twin-b"));
    }

    @Test
    void aLeaseIsRenewedReleasedAndGivenToTheNextHost() {
        final int at = provision("renewal", "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.100'}]", "}");
        final DhcpClient first = client(at);
        try (DhcpClient.Running running = first.startUdhcpc()) {
            running.await("bound");
            final long ends = lease("renewal", "10.0.0.100").orElseThrow().get("expires").getAsLong();
            Await.until("some time has passed", () -> System.currentTimeMillis() / 1000 + 3600 > ends + 1);
            running.renew();
            running.await("renew");
            Await.until("the lease ends later", () ->
                lease("renewal", "10.0.0.100").orElseThrow().get("expires").getAsLong() > ends);
            assertThat(client(at).tryUdhcpc().isGood()).as("somebody else gets a lease").isFalse();
            running.release();
            // One that is ended before keeps the address on its device, and the server finds it in use.
            Await.until("the device has no address", () -> first.address().isEmpty());
            Await.until("the lease is free", () -> state("renewal", "10.0.0.100").equals("free"));
        }
        assertThat(client(at).udhcpc()).isEqualTo("10.0.0.100");
    }

    @Test
    void aHostThatStartsAgainHasItsAddressAtOnce() {
        final int at = provision("reboot", POOL, "}");
        final DhcpClient host = client(at);
        final String address = host.dhclient("");
        client(at).udhcpc();
        host.host().shell().run("ip", "address", "flush", "dev", Host.DEVICE);
        try (var asked = host.host().capture("udp dst port 67")) {
            assertThat(host.dhclient("")).isEqualTo(address);
            assertThat(host.told().get("event")).isEqualTo("REBOOT");
            assertThat(asked.all()).hasSize(1);
        }
        // dhclient takes the address away while its last packet waits for the gateway's MAC address, and then for
        // nothing.
        host.host().reaches(Intent.GATEWAY);
        try (var asked = host.host().capture("udp dst port 67")) {
            final String said = host.releaseDhclient();
            Await.until("the lease is free after " + said + asked.frames(),
                () -> state("reboot", address).equals("free"));
        }
    }

    @Test
    void anAddressThatSomebodyHasByHandIsNotOffered() {
        final int at = provision("squatter", POOL, "}");
        node.network().host(EdgeNode.ACCESS, at, "10.0.0.100/24", Intent.GATEWAY);
        assertThat(client(at).udhcpc()).isEqualTo("10.0.0.101");
        assertThat(state("squatter", "10.0.0.100")).isEqualTo("declined");
    }

    @Test
    void whatAClientDeclinesIsNotOfferedAgain() {
        final int at = provision("declining", POOL, ", 'conflict-probe': 0}");
        node.network().host(EdgeNode.ACCESS, at, "10.0.0.100/24", Intent.GATEWAY);
        assertThat(client(at).udhcpc("-a", "-A", "1")).isEqualTo("10.0.0.101");
        assertThat(state("declining", "10.0.0.100")).isEqualTo("declined");
    }

    @Test
    void addressesAreKeptForHostsAndPlacesAndOutOfThePool() {
        final int lan = ++vlan;
        final int door = ++vlan;
        final DhcpClient printer = client(lan);
        system.restconf().put(Intent.path("kept"), Intent.tenants(List.of(twoPlaces("kept", lan, door, """
            'pool': [{'first': '10.0.0.100', 'last': '10.0.0.103'}],
            'exclude': [{'first': '10.0.0.100', 'last': '10.0.0.101'}, {'first': '10.0.0.103'}],
            'reservation': [{'address': '10.0.0.20', 'mac': '%s', 'host-name': 'printer'},
                            {'address': '10.0.0.21', 'attachment': 'lab'}]""".formatted(printer.host().mac())))));
        system.awaitApplied();
        assertThat(printer.udhcpc("-O", "hostname")).isEqualTo("10.0.0.20");
        assertThat(printer.told()).containsEntry("hostname", "printer");
        assertThat(client(door).udhcpc()).isEqualTo("10.0.0.21");
        assertThat(client(lan).udhcpc()).isEqualTo("10.0.0.102");
        assertThat(client(lan).tryUdhcpc().isGood()).as("there is a lease").isFalse();
        printer.host().reaches(EdgeNetwork.SERVER);
        printer.host().reaches("10.0.0.21");
    }

    @Test
    void nobodyGetsMoreLeasesThanTheQuota() {
        final int at = provision("quota", POOL, "}, 'quota': {'leases': 2}");
        final DhcpClient first = client(at);
        try (DhcpClient.Running running = first.startUdhcpc()) {
            running.await("bound");
            client(at).udhcpc();
            final DhcpClient third = client(at);
            assertThat(third.tryUdhcpc().isGood()).as("there is a third lease").isFalse();
            // As above: what is sent last must not wait for an answer to ARP.
            first.host().reaches(Intent.GATEWAY);
            running.release();
            third.udhcpc();
        }
    }

    @Test
    void anOperatorSeesLeasesAndEndsThem() {
        final int at = provision("shown", "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.100'}]", "}");
        final DhcpClient host = client(at);
        host.udhcpc("-x", "hostname:till");
        final JsonObject line = rows("leases", "{'tenant': 'shown'}", "lease").get(0);
        assertThat(line.get("address").getAsString()).isEqualTo("10.0.0.100");
        assertThat(line.get("state").getAsString()).isEqualTo("bound");
        assertThat(line.get("mac").getAsString()).isEqualTo(host.host().mac());
        assertThat(line.get("attachment").getAsString()).isEqualTo("lan");
        assertThat(line.get("host-name").getAsString()).isEqualTo("till");
        assertThat(Instant.parse(line.get("expires").getAsString())).isAfter(Instant.now());
        assertThat(rows("dhcp-messages", "{'tenant': 'shown'}", "count"))
            .anyMatch(count -> count.get("message").getAsString().equals("request: ack")
                && count.get("messages").getAsInt() == 1);

        system.restconf().call("lease-release", "{'tenant': 'shown', 'address': '10.0.0.100'}");
        assertThat(state("shown", "10.0.0.100")).isEqualTo("free");
        system.awaitApplied();
        host.host().doesNotReach(EdgeNetwork.SERVER);
        assertThat(system.restconf().operation("lease-release", "{'tenant': 'shown', 'address': '10.0.0.100'}")
            .messages()).isEqualTo("tenant 'shown' has no lease of 10.0.0.100");
        // Nobody would get it while the probe finds that it is used.
        host.host().shell().run("ip", "address", "flush", "dev", Host.DEVICE);
        assertThat(client(at).udhcpc()).isEqualTo("10.0.0.100");
    }

    private List<JsonObject> rows(final String operation, final String input, final String list) {
        return StreamSupport.stream(
            system.restconf().call(operation, input).getAsJsonArray(list).spliterator(), false)
            .map(JsonElement::getAsJsonObject).toList();
    }

    @Test
    void aServerOfAHostIsNotHeard() {
        final int lan = ++vlan;
        final int lab = ++vlan;
        system.restconf().put(Intent.path("rogue"), Intent.tenants(List.of(twoPlaces("rogue", lan, lab, POOL))));
        system.awaitApplied();
        final Host rogue = node.network().host(EdgeNode.ACCESS, lab, "10.0.0.5/24", Intent.GATEWAY);
        rogue.reaches(Intent.GATEWAY);
        final DhcpClient client = client(lan);
        try (var asked = rogue.capture("udp dst port 67"); var heard = client.host().capture("udp src port 6767")) {
            client.udhcpc();
            rogue.shell().run("sh", "-c",
                "echo offer | socat - UDP4-DATAGRAM:255.255.255.255:68,broadcast,bind=10.0.0.5:6767");
            Await.until("it is counted", () -> system.packets("rogue", "DHCP answer of a host on lab") > 0);
            assertThat(heard.all()).isEmpty();
            assertThat(asked.all()).isEmpty();
        }
    }

    @Test
    void aLeaseIsForItsHostAlone() {
        final int at = provision("spoof", POOL, "}");
        final DhcpClient client = client(at);
        final String address = client.udhcpc();
        final Host host = client.host();
        host.reaches(EdgeNetwork.SERVER);

        final long before = system.packets("spoof", UNLEASED);
        host.shell().run("ip", "address", "replace", "10.0.0.150/24", "dev", Host.DEVICE);
        host.shell().run("ip", "route", "replace", "default", "via", Intent.GATEWAY, "src", "10.0.0.150");
        host.doesNotReach(EdgeNetwork.SERVER);
        Await.until("the drops are counted", () -> system.packets("spoof", UNLEASED) > before);

        host.shell().run("ip", "address", "delete", "10.0.0.150/24", "dev", Host.DEVICE);
        host.route("default", Intent.GATEWAY).reaches(EdgeNetwork.SERVER);
        final String mac = host.mac();
        host.shell().run("ip", "link", "set", Host.DEVICE, "address", "02:00:00:00:66:66");
        host.doesNotReach(EdgeNetwork.SERVER);
        host.shell().run("ip", "link", "set", Host.DEVICE, "address", mac);
        host.reaches(EdgeNetwork.SERVER);

        // Somebody with that address by hand, in the same broadcast domain.
        final Host thief = node.network().host(EdgeNode.ACCESS, at, address + "/24", Intent.GATEWAY);
        thief.doesNotReach(EdgeNetwork.SERVER);
        host.reaches(EdgeNetwork.SERVER);
    }
}
