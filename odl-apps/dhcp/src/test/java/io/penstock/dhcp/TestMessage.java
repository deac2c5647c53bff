// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A client's message, made step by step. */
final class TestMessage {
    private final Mac mac;
    private final Map<Integer, Bytes> options = new TreeMap<>();
    private Ipv4 ciaddr = Ipv4.UNSPECIFIED;
    private Ipv4 giaddr = Ipv4.UNSPECIFIED;
    private Ipv4 destination = Ipv4.BROADCAST;
    private int flags;
    private int operation = DhcpMessage.REQUEST;
    private String attachment = "lan";
    private Mac sourceMac;
    private Ipv4 source;

    TestMessage(final MessageType type, final Mac mac) {
        this.mac = mac;
        sourceMac = mac;
        option(OptionCode.MESSAGE_TYPE, "%02x".formatted(type.number()));
    }

    static TestMessage discover(final Mac mac) {
        return new TestMessage(MessageType.DISCOVER, mac);
    }

    static TestMessage request(final Mac mac) {
        return new TestMessage(MessageType.REQUEST, mac);
    }

    TestMessage option(final int code, final String hex) {
        options.put(code, Bytes.parseHex(hex));
        return this;
    }

    TestMessage without(final int code) {
        options.remove(code);
        return this;
    }

    TestMessage name(final String name) {
        options.put(OptionCode.HOST_NAME, Bytes.ofText(name));
        return this;
    }

    TestMessage wants(final Ipv4 address) {
        options.put(OptionCode.REQUESTED_ADDRESS, new BytesWriter().u32(address.number()).bytes());
        return this;
    }

    TestMessage wants(final String address) {
        return wants(Ipv4.parse(address));
    }

    TestMessage server(final String address) {
        options.put(OptionCode.SERVER, new BytesWriter().u32(Ipv4.parse(address).number()).bytes());
        return this;
    }

    TestMessage has(final Ipv4 address) {
        ciaddr = address;
        return this;
    }

    TestMessage has(final String address) {
        return has(Ipv4.parse(address));
    }

    TestMessage to(final String address) {
        destination = Ipv4.parse(address);
        return this;
    }

    /** Through a relay agent, whose frames come from a router. */
    TestMessage through(final String relay) {
        giaddr = Ipv4.parse(relay);
        sourceMac = new Mac(0x02000000ff01L);
        return this;
    }

    TestMessage from(final String name) {
        attachment = name;
        return this;
    }

    TestMessage sourceMac(final Mac address) {
        sourceMac = address;
        return this;
    }

    TestMessage source(final String address) {
        source = Ipv4.parse(address);
        return this;
    }

    TestMessage flags(final int value) {
        flags = value;
        return this;
    }

    TestMessage operation(final int value) {
        operation = value;
        return this;
    }

    DhcpMessage message() {
        return new DhcpMessage(
            new DhcpMessage.Header(operation, 1, giaddr.isUnspecified() ? 0 : 1, 0xdecafbadL, 3, flags),
            new DhcpMessage.Addresses(ciaddr, Ipv4.UNSPECIFIED, Ipv4.UNSPECIFIED, giaddr),
            new BytesWriter().u48(mac.number()).bytes(), Bytes.EMPTY,
            Bytes.EMPTY, OptionSet.of(options));
    }

    Query query() {
        final Ipv4 sender = giaddr.isUnspecified() ? ciaddr : giaddr;
        return new Query(message(), attachment.isEmpty() ? Optional.empty() : Optional.of(attachment), sourceMac,
            source == null ? sender : source, destination);
    }
}
