// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import io.penstock.base.chain.Line;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Lines that follow each other in a journal, all of one moment. Immutable. */
public final class Batch {
    /** No line. */
    public static final Batch EMPTY = new Batch(List.of(), List.of());

    private final List<Entry> entries;
    private final List<String> texts;

    private Batch(final List<Entry> entries, final List<String> texts) {
        this.entries = List.copyOf(entries);
        this.texts = List.copyOf(texts);
    }

    /** Lines behind the line with a hash. */
    static Batch of(final String before, final List<Entry> entries) {
        final List<String> texts = new ArrayList<>();
        String hash = before;
        for (final Entry entry : entries) {
            final Line line = entry.apply(hash);
            texts.add(line.text());
            hash = line.hash();
        }
        return new Batch(entries, texts);
    }

    /**
     * Reads lines.
     *
     * @throws IllegalArgumentException when these are none of a journal
     */
    public static Batch parse(final List<String> texts) {
        return new Batch(texts.stream().map(Entry::of).toList(), texts);
    }

    /** The lines as they are written. */
    public List<String> texts() {
        return texts;
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return texts.isEmpty();
    }

    /** The number of the first line; there has to be one. */
    public long number() {
        return entries.get(0).number();
    }

    /** The number of the last line, 0 if there is none. */
    public long end() {
        return isEmpty() ? 0 : number() + texts.size() - 1;
    }

    /** The time of the lines; there has to be one. */
    Instant time() {
        return entries.get(0).time();
    }

    List<Entry> entries() {
        return entries;
    }

    /** The changes that the lines tell of. */
    List<Change> changes() {
        return entries.stream().filter(Entry::isChange).map(entry -> new Change(entry.time(),
            entry.event() == Entry.Event.ASSIGNED, entry.assignment().orElseThrow())).toList();
    }

    /** Each line, which checks that it follows from the one before. */
    List<Function<String, Line>> lines() {
        return texts.stream().<Function<String, Line>>map(text -> before -> Line.parse(text, before)).toList();
    }

    /** Whether the lines follow from the line with a hash. */
    boolean follows(final String before) {
        String hash = before;
        try {
            for (final Function<String, Line> line : lines()) {
                hash = line.apply(hash).hash();
            }
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The last line, as it says itself. */
    Line last() {
        return isEmpty() ? Line.NONE : Line.said(texts.get(texts.size() - 1));
    }

    @Override
    public String toString() {
        return String.join("\n", texts);
    }
}
