// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

/** How deep a document is nested, told from its bytes alone, in one pass and without memory. */
final class Shape {
    private Shape() {
        // Only functions.
    }

    /** The greatest depth of objects and arrays; text that is no JSON has some number. */
    static int depthOfJson(final byte[] body) {
        int depth = 0;
        int deepest = 0;
        boolean quoted = false;
        for (int index = 0; index < body.length; index++) {
            final byte each = body[index];
            if (quoted) {
                if (each == '\\') {
                    index++;
                } else if (each == '"') {
                    quoted = false;
                }
            } else if (each == '"') {
                quoted = true;
            } else if (each == '{' || each == '[') {
                deepest = Math.max(deepest, ++depth);
            } else if (each == '}' || each == ']') {
                depth--;
            }
        }
        return deepest;
    }

    /**
     * Whether an object at a depth has an empty list as a member: {@code {"a": []}} has one at depth 1. The parser of
     * RESTCONF takes comments, too.
     */
    static boolean hasEmptyList(final byte[] body, final int at) {
        int depth = 0;
        boolean quoted = false;
        for (int index = 0; index < body.length; index++) {
            final byte each = body[index];
            if (quoted) {
                if (each == '\\') {
                    index++;
                } else if (each == '"') {
                    quoted = false;
                }
            } else if (each == '"') {
                quoted = true;
            } else if (each == '{' || each == '[') {
                depth++;
                if (each == '[' && depth == at + 1 && endsAtOnce(body, index + 1)) {
                    return true;
                }
            } else if (each == '}' || each == ']') {
                depth--;
            }
        }
        return false;
    }

    private static boolean endsAtOnce(final byte[] body, final int from) {
        int index = from;
        while (index < body.length && Character.isWhitespace(body[index])) {
            index++;
        }
        return index < body.length && (body[index] == ']' || body[index] == '/' || body[index] == '#');
    }

    /** The greatest depth of elements; comments and CDATA may add to it. */
    static int depthOfXml(final byte[] body) {
        int depth = 0;
        int deepest = 0;
        for (int index = 0; index + 1 < body.length; index++) {
            if (body[index] == '<' && body[index + 1] == '/' || body[index] == '/' && body[index + 1] == '>') {
                depth--;
            } else if (body[index] == '<' && body[index + 1] != '!' && body[index + 1] != '?') {
                deepest = Math.max(deepest, ++depth);
            }
        }
        return deepest;
    }
}
