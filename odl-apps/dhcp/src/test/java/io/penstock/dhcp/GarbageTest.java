// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Whatever comes, nothing throws, and what cannot be read changes nothing. */
@Timeout(value = 360, threadMode = ThreadMode.SEPARATE_THREAD)
class GarbageTest {
    private static final int ROUNDS = 10_000;
    private static final Mac MAC = new Mac(0x02000000000aL);

    private static byte[] frame(final Bytes payload) {
        final PseudoHeader header = PseudoHeader.ofIpv4(0, Ipv4Packet.BROADCAST);
        return new Ethernet(Ethernet.BROADCAST, MAC.number(), Ethernet.TYPE_IPV4,
            new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, 0,
            Ipv4Packet.BROADCAST, new Udp(68, 67, payload).bytes(header)).bytes()).bytes().toArray();
    }

    private static List<Bytes> seeds() {
        return List.of(
            TestMessage.discover(MAC).name("pc").option(OptionCode.PARAMETER_LIST, "0103060f79").message().bytes(),
            TestMessage.request(MAC).wants("10.0.1.10").server("10.0.1.1").message().bytes(),
            TestMessage.request(MAC).has("10.0.1.10").option(OptionCode.CLIENT_IDENTIFIER, "ff0102").message().bytes(),
            TestMessage.discover(MAC).through("10.9.0.1").option(OptionCode.RELAY_AGENT, "0102aabb05040a090001")
                .message().bytes(),
            new TestMessage(MessageType.RELEASE, MAC).has("10.0.1.10").server("10.0.1.1").message().bytes(),
            new TestMessage(MessageType.DECLINE, MAC).wants("10.0.1.10").server("10.0.1.1").message().bytes(),
            new TestMessage(MessageType.INFORM, MAC).has("10.0.1.10").option(OptionCode.OVERLOAD, "03").message()
                .bytes());
    }

    private static byte[] mutate(final byte[] valid, final Random random) {
        final byte[] bytes = valid.clone();
        for (int change = 1 + random.nextInt(6); change > 0; change--) {
            final int at = random.nextInt(3) == 0 ? random.nextInt(bytes.length)
                : Math.min(bytes.length - 1, bytes.length - 60 + random.nextInt(50));
            bytes[at] = (byte) random.nextInt();
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
    }

    /** Right checksums around wrong messages, so that those are reached; and whole frames that are wrong. */
    @Test
    void nothingThrows() {
        final Random random = new Random(4711);
        final Network network = new Network();
        final List<Bytes> seeds = seeds();
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] message = seeds.get(random.nextInt(seeds.size())).toArray();
            final byte[] mutated = mutate(message, random);
            final byte[] frame = random.nextInt(4) == 0 ? mutate(frame(Bytes.of(message)), random)
                : frame(Bytes.of(mutated));
            final Query query = DhcpFrames.query(frame, Optional.of("lan")).orElse(null);
            final List<Lease> before = network.leases.toList();
            if (query == null) {
                continue;
            }
            read++;
            final Answer answer = network.server.answer(query, network.scope(), network.leases);
            if (answer instanceof Answer.Reply reply) {
                assertThat(DhcpFrames.frame(reply).length).isLessThanOrEqualTo(1514);
            } else if (answer instanceof Answer.Nothing nothing && nothing.reason() != Answer.Reason.RELEASED
                    && nothing.reason() != Answer.Reason.DECLINED) {
                assertThat(network.leases.toList()).isEqualTo(before);
            }
        }
        assertThat(read).isBetween(ROUNDS / 20, ROUNDS * 9 / 10);
    }

    @Test
    void randomOptionsNeverThrow() {
        final Random random = new Random(4712);
        final Network network = new Network();
        final Bytes direct = TestMessage.discover(MAC).message().bytes().part(0, DhcpMessage.FIXED);
        final Bytes relayed =
            TestMessage.discover(MAC).through("10.9.0.1").message().bytes().part(0, DhcpMessage.FIXED);
        int understood = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final BytesWriter message = new BytesWriter().put(random.nextBoolean() ? direct : relayed);
            agent(message, random);
            for (int option = random.nextInt(12); option > 0; option--) {
                final byte[] value = new byte[random.nextInt(7)];
                random.nextBytes(value);
                final int code = random.nextInt(3) == 0 ? random.nextInt(256) : 50 + random.nextInt(12);
                message.u8(code).u8(random.nextInt(20) == 0 ? random.nextInt(256) : value.length)
                    .put(Bytes.of(value));
            }
            message.u8(53).u8(1).u8(1 + random.nextInt(9)).u8(255);
            final Optional<DhcpMessage> parsed = DhcpMessage.parse(message.bytes());
            understood += parsed.isPresent() ? 1 : 0;
            parsed.ifPresent(read -> {
                assertThat(DhcpMessage.parse(withoutOverload(read).bytes())).contains(withoutOverload(read));
                network.server.answer(new Query(read, Optional.of("lan"), MAC, Ipv4.UNSPECIFIED, Ipv4.BROADCAST),
                    network.scope(), network.leases);
            });
        }
        assertThat(understood).as("messages whose options are right by chance").isBetween(ROUNDS / 20, ROUNDS * 9 / 10);
    }

    /** A relay agent's option that is mostly nearly right. */
    private static void agent(final BytesWriter message, final Random random) {
        final byte[] value = new byte[random.nextInt(9)];
        for (int at = 0; at < value.length; at++) {
            value[at] = (byte) random.nextInt(7);
        }
        message.u8(OptionCode.RELAY_AGENT).u8(value.length).put(Bytes.of(value));
    }

    private static DhcpMessage withoutOverload(final DhcpMessage message) {
        final var options = new java.util.LinkedHashMap<>(message.options().all());
        options.remove(OptionCode.OVERLOAD);
        return new DhcpMessage(message.header(), message.addresses(), message.hardware(), message.serverName(),
            message.file(), OptionSet.of(options));
    }

    @Test
    void randomBytesAreNoMessages() {
        final Random random = new Random(4713);
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] frame = new byte[random.nextInt(700)];
            random.nextBytes(frame);
            assertThat(DhcpFrames.query(frame, Optional.of("lan"))).isEmpty();
            assertThat(DhcpMessage.parse(Bytes.of(frame))).isEmpty();
        }
    }

    @Test
    void framesAreReadAndWritten() {
        final Query query = DhcpFrames.query(frame(seeds().get(0)), Optional.of("lan")).orElseThrow();
        assertThat(query).isEqualTo(new Query(DhcpMessage.parse(seeds().get(0)).orElseThrow(), Optional.of("lan"), MAC,
            Ipv4.UNSPECIFIED, Ipv4.BROADCAST));
        final Network network = new Network();
        final Answer.Reply reply = (Answer.Reply) network.server.answer(query, network.scope(), network.leases);
        final Ethernet frame = Ethernet.parse(Bytes.of(DhcpFrames.frame(reply))).orElseThrow();
        assertThat(frame.source()).isEqualTo(0x025053000001L);
        assertThat(frame.destination()).isEqualTo(MAC.number());
        final Ipv4Packet packet = Ipv4Packet.parse(frame.payload()).orElseThrow();
        assertThat(packet.source()).isEqualTo(Ipv4.parse("10.0.1.1").number());
        assertThat(packet.destination()).isEqualTo(Ipv4.parse("10.0.1.10").number());
        final Udp datagram = Udp.parse(packet.payload(), packet.pseudoHeader()).orElseThrow();
        assertThat(datagram.sourcePort()).isEqualTo(67);
        assertThat(datagram.destinationPort()).isEqualTo(68);
        assertThat(DhcpMessage.parse(datagram.payload())).contains(reply.message());
    }

    @Test
    void whatIsNotForAServerIsNotRead() {
        final Bytes message = seeds().get(0);
        final PseudoHeader header = PseudoHeader.ofIpv4(1, 2);
        final Bytes other = new Udp(68, 68, message).bytes(header);
        final Bytes right = new Udp(68, 67, message).bytes(header);
        assertThat(read(new Ipv4Packet(17, 1, 2, right))).isPresent();
        assertThat(read(new Ipv4Packet(17, 1, 2, other))).as("another port").isEmpty();
        assertThat(read(new Ipv4Packet(6, 1, 2, right))).as("another protocol").isEmpty();
        assertThat(read(new Ipv4Packet(0x2000, 64, 17, 1, 2, right))).as("a fragment").isEmpty();
        assertThat(read(new Ipv4Packet(17, 1, 3, right))).as("a wrong checksum").isEmpty();
    }

    private static Optional<Query> read(final Ipv4Packet packet) {
        return DhcpFrames.query(new Ethernet(1, 2, Ethernet.TYPE_IPV4, packet.bytes()).bytes().toArray(),
            Optional.empty());
    }
}
