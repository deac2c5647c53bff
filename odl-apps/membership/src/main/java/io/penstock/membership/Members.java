// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Questions between the members of the cluster. Safe for all threads. */
public interface Members {
    /** Answers questions. */
    @FunctionalInterface
    interface Answers {
        /**
         * Answers one; must not block for long.
         *
         * @return at most some 200 KB, which Akka carries in one frame
         * @throws IOException when there is no answer
         */
        byte[] answer(String question) throws IOException;
    }

    /** Names of the other members, whether they can be reached or not. None beside a controller alone. */
    List<String> others();

    /**
     * Answers questions about a topic until the returned object is closed.
     *
     * @param topic one word
     */
    Leadership.Registration serve(String topic, Answers answers);

    /**
     * Asks another member, and blocks until it answers.
     *
     * @throws IOException when it does not answer in time, or has no answer
     */
    byte[] ask(String member, String topic, String question, Duration limit) throws IOException;
}
