// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which members have room on their disks: one that leads and has none hands over. Safe for all threads. */
final class DiskRoom implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskRoom.class);
    /** Topic of questions why a member has no room on its disk. */
    private static final String TOPIC = "disk-shortage";
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final Members members;
    private final Supplier<Optional<String>> shortage;
    private final Leadership.Registration answers;

    /**
     * Answers others from now on.
     *
     * @param shortage why this member has no room; empty while it has
     */
    DiskRoom(final Members members, final Supplier<Optional<String>> shortage) {
        this.members = requireNonNull(members);
        this.shortage = requireNonNull(shortage);
        answers = members.serve(TOPIC, question -> shortage().orElse("").getBytes(StandardCharsets.UTF_8));
    }

    /** Why this member has no room; empty while it has. */
    Optional<String> shortage() {
        return shortage.get();
    }

    /** The first of some others that has room. Blocks for their answers. */
    Optional<String> first(final Collection<String> others) {
        return others.stream().filter(this::has).findFirst();
    }

    private boolean has(final String member) {
        try {
            return members.ask(member, TOPIC, "", ANSWER).length == 0;
        } catch (IOException e) {
            LOG.debug("{} does not say whether it has room", member, e);
            return false;
        }
    }

    @Override
    public void close() {
        answers.close();
    }
}
