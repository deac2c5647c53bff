// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import java.io.IOException;

/** The journal of another member. */
@FunctionalInterface
public interface JournalSource {
    /**
     * Asks it; blocks until it answers.
     *
     * @param question one that {@link MemberJournal#answer} understands
     * @throws IOException when it does not answer in time, or has no such segment
     */
    byte[] ask(String question) throws IOException;
}
