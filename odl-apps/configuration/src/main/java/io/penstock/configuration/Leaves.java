// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.rules.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The leaves of one entry, with where it is: the models leave forms and what is needed to the commit, so that an error
 * names them.
 */
final class Leaves {
    private final String owner;
    private final String path;
    private final Element element;

    /**
     * The leaves of an entry.
     *
     * @param owner for example {@code tenant acme}
     * @param path within it, as it stands before the name of a leaf; empty or with a separator at its end
     */
    Leaves(final String owner, final String path, final Element element) {
        this.owner = owner;
        this.path = path;
        this.element = element;
    }

    /**
     * Makes something of an entry.
     *
     * @param <T> what is made
     */
    interface Reading<T> {
        T of(Leaves entry) throws UnreadableException;
    }

    /** What is made of a container; empty when it is not there. */
    <T> Optional<T> child(final String name, final Reading<T> reading) throws UnreadableException {
        final Element child = element.child(name);
        return child.isPresent() ? Optional.of(reading.of(new Leaves(owner, path + name + " / ", child)))
            : Optional.empty();
    }

    /** What is made of a container that has defaults also when it is not there. */
    <T> T inside(final String name, final Reading<T> reading) throws UnreadableException {
        return reading.of(new Leaves(owner, path + name + " / ", element.child(name)));
    }

    /** What is made of each entry of a list. */
    <T> List<T> each(final String list, final String key, final Reading<T> reading) throws UnreadableException {
        final List<T> made = new ArrayList<>();
        for (final Element entry : element.list(list, key)) {
            made.add(reading.of(new Leaves(owner, path + list + " " + entry.text(key) + " / ", entry)));
        }
        return made;
    }

    /** Whether a container is there. */
    boolean hasChild(final String name) {
        return element.child(name).isPresent();
    }

    /** Whether a list has entries. */
    boolean hasEntries(final String list) {
        return !element.entries(list).isEmpty();
    }

    /** Whether a leaf is configured, and has not only its default. */
    boolean has(final String name) {
        return element.has(name);
    }

    /** A leaf that may be missing. */
    Optional<String> leaf(final String name) {
        return element.leaf(name);
    }

    /** Refuses the entry when it has a leaf that makes no sense in it. */
    void refuse(final String name, final String why) throws UnreadableException {
        if (element.has(name)) {
            throw refusal(name, why);
        }
    }

    /** That a leaf or container breaks a rule. */
    UnreadableException refusal(final String name, final String why) {
        return new UnreadableException(new Violation(owner, path + name, why));
    }

    /** A leaf that is needed, or has a default. */
    String text(final String name) throws UnreadableException {
        final Optional<String> text = element.leaf(name);
        if (text.isEmpty()) {
            throw refusal(name, "is missing");
        }
        return text.orElseThrow();
    }

    /** Values of a leaf-list in the order of the user. */
    List<String> texts(final String name) {
        return element.leafList(name, true);
    }

    /** Values of a leaf-list that has no order. */
    List<String> sorted(final String name) {
        return element.leafList(name, false);
    }

    /** A boolean that is needed, or has a default. */
    boolean isSet(final String name) throws UnreadableException {
        return Boolean.parseBoolean(text(name));
    }

    /** A number that is needed, or has a default. */
    int count(final String name) throws UnreadableException {
        return needed(name, Leaves::toInt);
    }

    /** A leaf that is needed, or has a default, and has a form. */
    <T> T needed(final String name, final Function<String, T> form) throws UnreadableException {
        return parse(name, text(name), form);
    }

    /** Values of a leaf-list that have a form, in the order of the user. */
    <T> List<T> all(final String name, final Function<String, T> form) throws UnreadableException {
        return all(name, texts(name), form);
    }

    private <T> List<T> all(final String name, final List<String> texts, final Function<String, T> form)
            throws UnreadableException {
        final List<T> values = new ArrayList<>();
        for (final String text : texts) {
            values.add(parse(name, text, form));
        }
        return values;
    }

    /** Prefixes of a leaf-list that has no order. */
    List<Prefix> prefixes(final String name) throws UnreadableException {
        return all(name, sorted(name), Prefix::parse);
    }

    Prefix prefix(final String name) throws UnreadableException {
        return parse(name, text(name), Prefix::parse);
    }

    Ipv4 address(final String name) throws UnreadableException {
        return parse(name, text(name), Ipv4::parse);
    }

    List<Ipv4> addresses(final String name) throws UnreadableException {
        return all(name, Ipv4::parse);
    }

    /** A number; of those of 32 bits the upper half is too large for everything that is counted here. */
    Optional<Integer> number(final String name) throws UnreadableException {
        return optional(name, Leaves::toInt);
    }

    /** A leaf that may be missing, and has a form. */
    <T> Optional<T> optional(final String name, final Function<String, T> form) throws UnreadableException {
        final Optional<String> text = element.leaf(name);
        return text.isEmpty() ? Optional.empty() : Optional.of(parse(name, text.orElseThrow(), form));
    }

    private <T> T parse(final String name, final String text, final Function<String, T> form)
            throws UnreadableException {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            throw new UnreadableException(new Violation(owner, path + name, String.valueOf(e.getMessage())), e);
        }
    }

    /** A number that is not too large. */
    static int toInt(final String text) {
        final long value = Long.parseLong(text);
        if (value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(text + " is above " + Integer.MAX_VALUE);
        }
        return (int) value;
    }
}
