// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A VRF with a server. Subnet "one", 10.0.1.0/24 on "lan" and "wing", gives .10 to .19; "two", 10.0.2.0/24 on "lab",
 * gives .10 to .19; 10.9.0.0/24 is behind a router and gives .10 to .19.
 */
final class Network {
    static final long START = 1_800_000_000L;
    static final int LEASE = 3600;

    long now = START;
    LeaseTable leases;
    DhcpServer server;
    private final List<Dhcp.Reservation> reservations = new ArrayList<>();
    private final List<Range> exclusions = new ArrayList<>();
    private Dhcp.Options options = Dhcp.Options.NONE;
    private Optional<Integer> quota = Optional.empty();
    private boolean resolver;
    private int probeMillis;
    private Scope scope;

    Network() {
        this(List.of());
    }

    Network(final List<Lease> leases) {
        this.leases = new LeaseTable(leases);
        restart();
    }

    Network restart() {
        final InstantSource clock = () -> Instant.ofEpochSecond(now);
        server = new DhcpServer(clock.withZone(ZoneOffset.UTC));
        return this;
    }

    Network options(final Dhcp.Options value) {
        options = value;
        scope = null;
        return this;
    }

    Network quota(final int value) {
        quota = Optional.of(value);
        scope = null;
        return this;
    }

    Network withResolver() {
        resolver = true;
        scope = null;
        return this;
    }

    Network probing() {
        probeMillis = 500;
        scope = null;
        return this;
    }

    Network excluding(final String first, final String last) {
        exclusions.add(range(first, last));
        scope = null;
        return this;
    }

    Network keeping(final String address, final Optional<Mac> mac, final Optional<String> attachment,
            final Optional<String> circuit, final Optional<String> name) {
        reservations.add(new Dhcp.Reservation(Ipv4.parse(address), mac, attachment, circuit, name));
        scope = null;
        return this;
    }

    Network keeping(final String address, final Mac mac) {
        return keeping(address, Optional.of(mac), Optional.empty(), Optional.empty(), Optional.empty());
    }

    Scope scope() {
        if (scope == null) {
            scope = new Scope(7, new Dhcp(probeMillis, List.of(
                subnet("10.0.1", reservations, exclusions), subnet("10.0.2", List.of(), List.of()),
                subnet("10.9.0", reservations.stream().filter(each -> each.circuitId().isPresent()).toList(),
                    List.of()))),
                List.of(new Tenant.Subnet("one", Prefix.parse("10.0.1.0/24"), Ipv4.parse("10.0.1.1"),
                        List.of("lan", "wing")),
                    new Tenant.Subnet("two", Prefix.parse("10.0.2.0/24"), Ipv4.parse("10.0.2.1"), List.of("lab")),
                    new Tenant.Subnet("bare", Prefix.parse("10.0.3.0/24"), Ipv4.parse("10.0.3.1"), List.of("lan"))),
                quota, resolver);
        }
        return scope;
    }

    private Dhcp.Subnet subnet(final String net, final List<Dhcp.Reservation> kept, final List<Range> excluded) {
        return new Dhcp.Subnet(Prefix.parse(net + ".0/24"), List.of(range(net + ".10", net + ".19")), excluded, kept,
            LEASE, options);
    }

    static Range range(final String first, final String last) {
        return new Range(Ipv4.parse(first), Ipv4.parse(last));
    }

    Answer ask(final TestMessage message) {
        return server.answer(message.query(), scope(), leases);
    }

    DhcpMessage reply(final TestMessage message, final MessageType type) {
        final Answer answer = ask(message);
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        final DhcpMessage reply = ((Answer.Reply) answer).message();
        assertThat(reply.type()).contains(type);
        return reply;
    }

    Answer.Delivery delivery(final TestMessage message) {
        final Answer answer = ask(message);
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        return ((Answer.Reply) answer).delivery();
    }

    String offered(final TestMessage message) {
        return reply(message, MessageType.OFFER).addresses().yours().toString();
    }

    Answer.Reason silence(final TestMessage message) {
        final Answer answer = ask(message);
        assertThat(answer).isInstanceOf(Answer.Nothing.class);
        return ((Answer.Nothing) answer).reason();
    }

    /** A client at "lan" goes all the way; gives its address. */
    String bind(final Mac mac) {
        final String address = offered(TestMessage.discover(mac));
        assertThat(take(mac, address)).isEqualTo(address);
        return address;
    }

    String take(final Mac mac, final String address) {
        return reply(TestMessage.request(mac).server("10.0.1.1").wants(address), MessageType.ACK)
            .addresses().yours().toString();
    }

    Lease lease(final String address) {
        return leases.at(Ipv4.parse(address)).orElseThrow();
    }
}
