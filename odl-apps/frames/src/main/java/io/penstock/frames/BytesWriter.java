// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.util.Arrays;

/** Writes bytes one after the other, numbers in network order; of a number too large its low bits. For one thread. */
public final class BytesWriter {
    private byte[] array = new byte[64];
    private int length;

    /** One byte. */
    public BytesWriter u8(final int value) {
        room(1);
        array[length++] = (byte) value;
        return this;
    }

    /** Two bytes. */
    public BytesWriter u16(final int value) {
        return u8(value >> 8).u8(value);
    }

    /** Four bytes: a number or an IPv4 address. */
    public BytesWriter u32(final long value) {
        return u16((int) (value >> 16)).u16((int) value);
    }

    /** Six bytes: a MAC address. */
    public BytesWriter u48(final long value) {
        return u16((int) (value >> 32)).u32(value);
    }

    /** All of something. */
    public BytesWriter put(final Bytes bytes) {
        room(bytes.length());
        bytes.copyTo(array, length);
        length += bytes.length();
        return this;
    }

    /** Something in a field of a fixed size, filled with zeros; throws IllegalArgumentException when it is longer. */
    public BytesWriter field(final Bytes bytes, final int size) {
        if (bytes.length() > size) {
            throw new IllegalArgumentException(bytes.length() + " bytes do not fit into " + size);
        }
        final int end = length + size;
        return put(bytes).padTo(end);
    }

    /** Zeros until there are so many bytes in all. */
    public BytesWriter padTo(final int size) {
        while (length < size) {
            u8(0);
        }
        return this;
    }

    /** How many were written. */
    public int length() {
        return length;
    }

    /** What was written so far. */
    public Bytes bytes() {
        return Bytes.own(Arrays.copyOf(array, length));
    }

    private void room(final int more) {
        if (length + more > array.length) {
            array = Arrays.copyOf(array, Math.max(2 * array.length, length + more));
        }
    }
}
