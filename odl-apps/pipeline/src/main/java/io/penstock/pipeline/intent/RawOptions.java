// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/** DHCP options that are configured by their number: what is wrong with them, and their bytes. */
public final class RawOptions {
    /** Padding, end, and what client, server and relay agent settle among themselves (RFC 2132, RFC 3046). */
    private static final Set<Integer> OF_THE_PROTOCOL = Set.of(0, 50, 51, 52, 53, 54, 55, 57, 58, 59, 61, 82, 255);
    private static final int LAST_CODE = 254;
    /** The length of an option is one byte (RFC 2132, section 2). */
    private static final int MOST_BYTES = 255;
    private static final int ADDRESS_BYTES = 4;

    private RawOptions() {
        // Only functions.
    }

    /**
     * What a leaf of an option breaks.
     *
     * @param leaf code, type or value
     */
    public record Problem(String leaf, String rule) { }

    /** Why an option cannot be sent, with the name of its leaf; empty when it can. */
    public static Optional<String> problem(final Dhcp.RawOption option) {
        return find(option).map(problem -> problem.leaf() + ": " + problem.rule());
    }

    /** The same in its parts. */
    public static Optional<Problem> find(final Dhcp.RawOption option) {
        if (OF_THE_PROTOCOL.contains(option.code())) {
            return Optional.of(new Problem("code", option.code() + " is the protocol's own"));
        }
        if (option.code() < 1 || option.code() > LAST_CODE) {
            return Optional.of(new Problem("code", option.code() + " is not in 1.." + LAST_CODE));
        }
        try {
            final int length = bytes(option).length;
            return length > 0 && length <= MOST_BYTES ? Optional.empty()
                : Optional.of(new Problem("value", "has " + length + " bytes; 1 to " + MOST_BYTES + " are possible"));
        } catch (UnknownTypeException e) {
            return Optional.of(new Problem("type", String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException e) {
            return Optional.of(new Problem("value", String.valueOf(e.getMessage())));
        }
    }

    /**
     * The value as it is sent, behind code and length.
     *
     * @throws IllegalArgumentException when {@link #problem} finds type or value wrong
     */
    public static byte[] bytes(final Dhcp.RawOption option) {
        final String value = option.value();
        return switch (option.type()) {
            case "hex" -> hex(value);
            case "text" -> text(value);
            case "ipv4-address" -> addresses(value);
            case "uint8" -> number(value, 1);
            case "uint16" -> number(value, 2);
            case "uint32" -> number(value, 4);
            default -> throw new UnknownTypeException(option.type());
        };
    }

    private static byte[] hex(final String value) {
        if (!value.matches("([0-9A-Fa-f]{2})*")) {
            throw new IllegalArgumentException("'" + value + "' is not pairs of hexadecimal digits");
        }
        return HexFormat.of().parseHex(value);
    }

    private static byte[] text(final String value) {
        if (!isPrintable(value)) {
            throw new IllegalArgumentException("is not printable ASCII; write it as hex");
        }
        return value.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a text is as RFC 2132, section 2, wants it. */
    public static boolean isPrintable(final String value) {
        return value.chars().allMatch(character -> character >= ' ' && character <= '~');
    }

    private static byte[] addresses(final String value) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final String address : value.split(",", -1)) {
            bytes.writeBytes(bigEndian(Ipv4.parse(address.strip()).number(), ADDRESS_BYTES));
        }
        return bytes.toByteArray();
    }

    private static byte[] number(final String value, final int length) {
        final long most = (1L << 8 * length) - 1;
        if (!value.matches("[0-9]{1,10}") || Long.parseLong(value) > most) {
            throw new IllegalArgumentException("'" + value + "' is not a number in 0.." + most);
        }
        return bigEndian(Long.parseLong(value), length);
    }

    private static byte[] bigEndian(final long value, final int length) {
        final byte[] bytes = new byte[length];
        for (int index = 0; index < length; index++) {
            bytes[index] = (byte) (value >> 8 * (length - 1 - index));
        }
        return bytes;
    }

    /** A way to write values that there is not. */
    private static final class UnknownTypeException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        UnknownTypeException(final String type) {
            super("'" + type + "' is none of hex, text, ipv4-address, uint8, uint16 and uint32");
        }
    }
}
