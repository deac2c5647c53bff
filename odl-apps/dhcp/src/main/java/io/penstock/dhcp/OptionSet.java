// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.net.Ipv4;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a message, in their order, each once: what RFC 3396 splits is joined here. Those that the protocol
 * needs have their right length when they were read.
 */
public final class OptionSet {
    /** No option. */
    public static final OptionSet NONE = new OptionSet(Map.of());

    private static final int LONGEST = 255;
    private static final int IN_FILE = 1;
    private static final int IN_SERVER_NAME = 2;

    private final Map<Integer, Bytes> values;

    private OptionSet(final Map<Integer, Bytes> values) {
        this.values = values;
    }

    /** Options in the order of the map. */
    public static OptionSet of(final Map<Integer, Bytes> values) {
        return new OptionSet(Collections.unmodifiableMap(new LinkedHashMap<>(values)));
    }

    /**
     * Reads the options of a message, and those in the fields that option 52 names, as if they were one after the other
     * (RFC 3396, section 5).
     *
     * @return nothing if an option is longer than what is left of its place, a place has no end, or an option of the
     *     protocol has a wrong length
     */
    static Optional<OptionSet> parse(final Bytes own, final Bytes file, final Bytes serverName) {
        final Map<Integer, List<Bytes>> parts = new LinkedHashMap<>();
        if (!collect(own, parts)) {
            return Optional.empty();
        }
        final Bytes overload = join(parts.getOrDefault(OptionCode.OVERLOAD, List.of()));
        final int fields = overload.length() == 1 ? overload.u8(0) : 0;
        if ((fields & IN_FILE) != 0 && !collect(file, parts)
                || (fields & IN_SERVER_NAME) != 0 && !collect(serverName, parts)) {
            return Optional.empty();
        }
        final Map<Integer, Bytes> values = new LinkedHashMap<>();
        for (final Map.Entry<Integer, List<Bytes>> entry : parts.entrySet()) {
            final Bytes value = join(entry.getValue());
            if (!isRight(entry.getKey(), value)) {
                return Optional.empty();
            }
            values.put(entry.getKey(), value);
        }
        return Optional.of(new OptionSet(Collections.unmodifiableMap(values)));
    }

    private static boolean collect(final Bytes area, final Map<Integer, List<Bytes>> parts) {
        int at = 0;
        while (at < area.length()) {
            final int code = area.u8(at++);
            if (code == OptionCode.END) {
                return true;
            }
            if (code == OptionCode.PAD) {
                continue;
            }
            if (at == area.length() || area.u8(at) > area.length() - at - 1) {
                return false;
            }
            final int length = area.u8(at++);
            parts.computeIfAbsent(code, key -> new ArrayList<>(1)).add(area.part(at, length));
            at += length;
        }
        return false;
    }

    private static Bytes join(final List<Bytes> parts) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        final BytesWriter joined = new BytesWriter();
        parts.forEach(joined::put);
        return joined.bytes();
    }

    private static boolean isRight(final int code, final Bytes value) {
        return switch (code) {
            case OptionCode.MESSAGE_TYPE -> value.length() == 1;
            case OptionCode.OVERLOAD -> value.length() == 1 && value.u8(0) >= 1 && value.u8(0) <= 3;
            case OptionCode.REQUESTED_ADDRESS, OptionCode.LEASE_TIME, OptionCode.SERVER,
                OptionCode.SUBNET_SELECTION -> value.length() == 4;
            case OptionCode.LARGEST_MESSAGE -> value.length() == 2;
            case OptionCode.CLIENT_IDENTIFIER -> value.length() >= 2 && value.length() <= LONGEST;
            case OptionCode.RELAY_AGENT -> RelayAgent.isRight(value);
            default -> true;
        };
    }

    /** Bytes that an option takes in a message, with its codes and lengths (RFC 3396, section 6). */
    static int sizeOf(final Bytes value) {
        return value.length() + 2 * Math.max(1, (value.length() + LONGEST - 1) / LONGEST);
    }

    /** Writes all of them, without an end; what is longer than 255 bytes in parts. */
    void write(final BytesWriter message) {
        values.forEach((code, value) -> {
            int at = 0;
            do {
                final int size = Math.min(LONGEST, value.length() - at);
                message.u8(code).u8(size).put(value.part(at, size));
                at += size;
            } while (at < value.length());
        });
    }

    /** An option's value. */
    public Optional<Bytes> get(final int code) {
        return Optional.ofNullable(values.get(code));
    }

    /** An option of four bytes that was checked to have them: a number. */
    Optional<Long> number(final int code) {
        return get(code).filter(value -> value.length() == 4).map(value -> value.u32(0));
    }

    /** The same as an address. */
    Optional<Ipv4> address(final int code) {
        return number(code).map(Ipv4::new);
    }

    /** Whether some of them were in the field file. */
    boolean fillFile() {
        return (overload() & IN_FILE) != 0;
    }

    /** Whether some of them were in the field sname. */
    boolean fillServerName() {
        return (overload() & IN_SERVER_NAME) != 0;
    }

    private int overload() {
        return get(OptionCode.OVERLOAD).map(value -> value.u8(0)).orElse(0);
    }

    /** Codes and values in the order of the message. */
    public Map<Integer, Bytes> all() {
        return values;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof OptionSet that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
