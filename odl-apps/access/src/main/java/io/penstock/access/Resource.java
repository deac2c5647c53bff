// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The path of a request, in the only spelling in which it is judged. Each part is decoded once, after the path was
 * divided, as RESTCONF does; a path that servers may read in two ways is none.
 */
record Resource(List<Step> steps) {
    private static final int HEX = 16;
    private static final int ENCODED = 3;

    /**
     * A part of a path.
     *
     * @param name may begin with the name of a module and a colon
     * @param keys of the entry of a list; empty for anything else
     */
    record Step(String name, List<String> keys) {
        Step {
            keys = List.copyOf(keys);
        }

        /** The name without its module. */
        String local() {
            return name.substring(name.indexOf(':') + 1);
        }

        /** The name of the module; empty if the one around it is meant. */
        String module() {
            return name.substring(0, Math.max(0, name.indexOf(':')));
        }
    }

    Resource {
        steps = List.copyOf(steps);
    }

    /**
     * Reads a path.
     *
     * @param raw as it was sent, without query
     * @return empty for a path with parameters, empty parts, dots that climb, anything but printable characters of
     *     ASCII, or what is no percent-encoding
     */
    static Optional<Resource> parse(final String raw) {
        if (!raw.startsWith("/") || !raw.chars().allMatch(each -> each > ' ' && each <= '~')
                || raw.indexOf(';') >= 0 || raw.indexOf('\\') >= 0) {
            return Optional.empty();
        }
        final String path = raw.length() > 1 && raw.endsWith("/") ? raw.substring(1, raw.length() - 1)
            : raw.substring(1);
        return path.isEmpty() ? Optional.of(new Resource(List.of())) : steps(path).map(Resource::new);
    }

    private static Optional<List<Step>> steps(final String path) {
        final List<Step> steps = new ArrayList<>();
        for (final String part : path.split("/", -1)) {
            final String[] halves = part.split("=", 2);
            final Optional<String> name = decode(halves[0]);
            if (name.isEmpty() || name.orElseThrow().isEmpty() || name.orElseThrow().matches("\\.{1,2}")) {
                return Optional.empty();
            }
            final List<String> keys = new ArrayList<>();
            for (final String key : halves.length < 2 ? new String[0] : halves[1].split(",", -1)) {
                final Optional<String> decoded = decode(key);
                if (decoded.isEmpty()) {
                    return Optional.empty();
                }
                keys.add(decoded.orElseThrow());
            }
            steps.add(new Step(name.orElseThrow(), keys));
        }
        return Optional.of(steps);
    }

    /** What follows this path, such as the target of an edit; empty as {@link #parse}. */
    Optional<Resource> and(final String target) {
        if (target.isEmpty() || "/".equals(target)) {
            return Optional.of(this);
        }
        return parse(target.startsWith("/") ? target : "/" + target).map(further -> {
            final List<Step> all = new ArrayList<>(steps);
            all.addAll(further.steps);
            return new Resource(all);
        });
    }

    /** A child without keys. */
    Resource child(final String name) {
        final List<Step> all = new ArrayList<>(steps);
        all.add(new Step(name, List.of()));
        return new Resource(all);
    }

    /** The last part; empty for the root. */
    Optional<Step> last() {
        return steps.isEmpty() ? Optional.empty() : Optional.of(steps.get(steps.size() - 1));
    }

    private static Optional<String> decode(final String text) {
        final ByteBuffer bytes = ByteBuffer.allocate(text.length());
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) != '%') {
                bytes.put((byte) text.charAt(at));
                continue;
            }
            if (at + ENCODED > text.length()) {
                return Optional.empty();
            }
            final int high = Character.digit(text.charAt(at + 1), HEX);
            final int low = Character.digit(text.charAt(at + 2), HEX);
            if (high < 0 || low < 0) {
                return Optional.empty();
            }
            bytes.put((byte) (high * HEX + low));
            at += 2;
        }
        try {
            final String decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
            return decoded.chars().allMatch(each -> each >= ' ' && each <= '~') ? Optional.of(decoded)
                : Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
