// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A packet that a flow has dropped, as it was then: earlier flows may have translated it.
 *
 * @param time at which it came to the controller, RFC 3339
 * @param port the node's port at which it came in; the number, if no port of the node is known by that
 * @param vlan tag that it came with; empty without one
 * @param etherType behind the tags
 * @param sourceAddress of IP, or announced by ARP
 * @param destinationAddress of IP, or asked for by ARP
 */
public record DroppedPacket(String time, String port, Optional<Integer> vlan, String sourceMac, String destinationMac,
        int etherType, Optional<String> sourceAddress, Optional<String> destinationAddress, Optional<Integer> protocol,
        Optional<Integer> sourcePort, Optional<Integer> destinationPort) {
    public DroppedPacket {
        requireNonNull(time);
        requireNonNull(port);
        requireNonNull(vlan);
        requireNonNull(sourceMac);
        requireNonNull(destinationMac);
        requireNonNull(sourceAddress);
        requireNonNull(destinationAddress);
        requireNonNull(protocol);
        requireNonNull(sourcePort);
        requireNonNull(destinationPort);
    }

    /** Of at most 65535, or none. */
    public static Optional<Integer> boxed(final OptionalInt number) {
        return number.isPresent() ? Optional.of(number.getAsInt()) : Optional.empty();
    }

    /** One line, without the time. */
    public String text() {
        final StringBuilder text = new StringBuilder("port ").append(port);
        vlan.ifPresent(id -> text.append(", VLAN ").append(id));
        text.append(", MAC ").append(sourceMac);
        sourceAddress.ifPresentOrElse(
            source -> text.append(", ").append(socket(source, sourcePort)).append(" to ")
                .append(socket(destinationAddress.orElse(""), destinationPort)),
            () -> text.append(" to ").append(destinationMac));
        if (protocol.isPresent()) {
            text.append(", protocol ").append(protocol.orElseThrow());
        } else {
            text.append(", EtherType 0x%04x".formatted(etherType));
        }
        return text.toString();
    }

    private static String socket(final String address, final Optional<Integer> number) {
        return number.map(each -> (address.contains(":") ? "[" + address + "]" : address) + ":" + each).orElse(address);
    }
}
