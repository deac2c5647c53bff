// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;

/** An RFC 8519 access control list. The first entry that matches decides; what none permits is dropped. */
public record Acl(String name, List<Entry> entries) {
    public Acl {
        entries = List.copyOf(entries);
    }

    /**
     * The list that answers to what this one permits meet: the two ends have changed places, and ICMP queries are the
     * replies to them (RFC 792; RFC 4443). Entries to which there are no answers are not in it.
     */
    public Acl answers() {
        return new Acl(name, entries.stream().filter(entry -> entry.match.hasAnswers()).map(Entry::answer).toList());
    }

    /**
     * One entry.
     *
     * @param inexpressible RFC 8519 leaves in the entry that the data plane has no match or action for; an entry with
     *     any is refused
     */
    public record Entry(String name, boolean permit, AclMatch match, List<String> inexpressible) {
        public Entry {
            inexpressible = List.copyOf(inexpressible);
        }

        /** The entry that answers to what it permits meet. */
        public Entry answer() {
            return new Entry(name, permit, match.answer(), inexpressible);
        }
    }
}
