// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.chain;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One line of a journal without its end: a JSON object (RFC 8259) whose last member {@code hash} is the SHA-256 of the
 * hash of the line before and of the line up to that member, both as they are written.
 */
public record Line(String text, String hash) {
    /** Hash before the first line of all. */
    public static final String NOTHING = "0".repeat(64);

    /** Before the first line of all. */
    public static final Line NONE = new Line("", NOTHING);

    private static final String HASH = ",\"hash\":\"";

    /**
     * A line behind the line with a hash.
     *
     * @param json an object with a member, without white space around it
     */
    public static Line of(final String json, final String before) {
        final String body = json.substring(0, json.length() - 1);
        final String hash = hash(before, body);
        return new Line(body + HASH + hash + "\"}", hash);
    }

    /**
     * Reads a line behind the line with a hash.
     *
     * @throws IllegalArgumentException when the line's hash does not follow from it
     */
    public static Line parse(final String text, final String before) {
        final int end = text.lastIndexOf(HASH);
        if (end < 0) {
            throw new IllegalArgumentException("has no hash");
        }
        final String hash = hash(before, text.substring(0, end));
        if (!text.substring(end).equals(HASH + hash + "\"}")) {
            throw new IllegalArgumentException("its hash does not follow from the line before");
        }
        return new Line(text, hash);
    }

    /**
     * Reads a line with the hash that it says, which is not compared with the line before.
     *
     * @throws IllegalArgumentException when it has none
     */
    public static Line said(final String text) {
        final int begin = text.lastIndexOf(HASH);
        if (begin < 0 || !text.endsWith("\"}")) {
            throw new IllegalArgumentException("has no hash");
        }
        return new Line(text, text.substring(begin + HASH.length(), text.length() - 2));
    }

    private static String hash(final String before, final String body) {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(before.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest.digest(body.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
