// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.checkFromIndexSize;
import static java.util.Objects.checkIndex;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Some bytes that never change. Numbers in them are unsigned and in network order. A part of it shares its memory.
 *
 * <p>Whoever reads has to know the length: a position outside throws IndexOutOfBoundsException, always.
 */
public final class Bytes {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int length;

    private Bytes(final byte[] array, final int offset, final int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    /** A copy of an array. */
    public static Bytes of(final byte[] array) {
        return own(array.clone());
    }

    /** An array that nobody else keeps. */
    static Bytes own(final byte[] array) {
        return new Bytes(array, 0, array.length);
    }

    /** Pairs of hexadecimal digits; throws IllegalArgumentException for others. */
    public static Bytes parseHex(final String text) {
        return own(HexFormat.of().parseHex(text));
    }

    /** A text in UTF-8. */
    public static Bytes ofText(final String text) {
        return own(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Number of bytes. */
    public int length() {
        return length;
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return length == 0;
    }

    /** The byte at a position, 0 to 255. */
    public int u8(final int at) {
        return array[offset + checkIndex(at, length)] & 0xff;
    }

    /** Two bytes from a position on. */
    public int u16(final int at) {
        return u8(at) << 8 | u8(at + 1);
    }

    /** Four bytes from a position on: a number or an IPv4 address. */
    public long u32(final int at) {
        return (long) u16(at) << 16 | u16(at + 2);
    }

    /** Six bytes from a position on: a MAC address. */
    public long u48(final int at) {
        return (long) u16(at) << 32 | u32(at + 2);
    }

    /** Some of them. */
    public Bytes part(final int from, final int size) {
        checkFromIndexSize(from, size, length);
        return new Bytes(array, offset + from, size);
    }

    /** All from a position on, which may be the end. */
    public Bytes from(final int at) {
        return part(at, length - at);
    }

    /** A copy as an array. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** Lower-case hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(array, offset, offset + length);
    }

    /** The bytes as text in UTF-8; what is none is replaced. */
    public String text() {
        return new String(array, offset, length, StandardCharsets.UTF_8);
    }

    void copyTo(final byte[] target, final int at) {
        System.arraycopy(array, offset, target, at, length);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Bytes that && Arrays.equals(array, offset, offset + length, that.array, that.offset,
            that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int at = offset; at < offset + length; at++) {
            hash = 31 * hash + array[at];
        }
        return hash;
    }

    @Override
    public String toString() {
        return hex();
    }
}
