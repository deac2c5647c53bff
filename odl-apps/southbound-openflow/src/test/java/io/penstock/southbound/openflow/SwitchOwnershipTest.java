// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.singleton.common.api.ClusterSingletonService;
import org.opendaylight.mdsal.singleton.common.api.ServiceGroupIdentifier;

/** Each switch is given to the plugin, one connection after the other. */
class SwitchOwnershipTest {
    /** So patient that none is taken for lost. */
    private final SwitchOwnership ownership = new SwitchOwnership(Duration.ofHours(1));
    private final SwitchOwnership impatient = new SwitchOwnership(Duration.ofMillis(50));
    private final List<String> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        ownership.close();
        impatient.close();
    }

    @Test
    void aServiceStartsAtOnce() throws InterruptedException {
        final Service one = new Service("one", "openflow:1");
        ownership.registerClusterSingletonService(one);
        one.awaitStart();
        assertThat(events).containsExactly("one starts");
    }

    @Test
    void theNextConnectionWaitsForTheEndOfTheOneBefore() throws InterruptedException {
        final Service one = new Service("one", "openflow:1");
        final Service two = new Service("two", "openflow:1");
        final var first = ownership.registerClusterSingletonService(one);
        one.awaitStart();
        ownership.registerClusterSingletonService(two);
        first.close();
        first.close();
        final Service other = new Service("other", "openflow:2");
        ownership.registerClusterSingletonService(other);
        other.awaitStart();
        assertThat(events).as("the first is being closed").doesNotContain("two starts");
        one.closed.set(null);
        two.awaitStart();
        assertThat(events).containsExactly("one starts", "one closes", "other starts", "two starts");
    }

    @Test
    void oneThatIsGoneBeforeItsTurnNeverStarts() throws InterruptedException {
        final Service one = new Service("one", "openflow:1");
        final Service two = new Service("two", "openflow:1");
        final Service three = new Service("three", "openflow:1");
        final var first = ownership.registerClusterSingletonService(one);
        one.awaitStart();
        final var second = ownership.registerClusterSingletonService(two);
        ownership.registerClusterSingletonService(three);
        second.close();
        first.close();
        one.closed.set(null);
        three.awaitStart();
        assertThat(events).containsExactly("one starts", "one closes", "three starts");
    }

    /** As OpenFlowPlugin does when connections of a switch follow each other at once. */
    @Test
    void oneThatWasLostHoldsUpTheNextForSomeSeconds() throws InterruptedException {
        final Service lost = new Service("lost", "openflow:1");
        final Service next = new Service("next", "openflow:1");
        impatient.registerClusterSingletonService(lost);
        lost.awaitStart();
        impatient.registerClusterSingletonService(next);
        // Its end is never told.
        next.awaitStart();
        assertThat(events).containsExactly("lost starts", "lost closes", "next starts");
    }

    private final class Service implements ClusterSingletonService {
        private final String name;
        private final ServiceGroupIdentifier group;
        private final CountDownLatch started = new CountDownLatch(1);
        private final SettableFuture<Void> closed = SettableFuture.create();

        Service(final String name, final String group) {
            this.name = name;
            this.group = ServiceGroupIdentifier.create(group);
        }

        void awaitStart() throws InterruptedException {
            assertThat(started.await(1, TimeUnit.MINUTES)).as("%s starts", name).isTrue();
        }

        @Override
        public void instantiateServiceInstance() {
            events.add(name + " starts");
            started.countDown();
        }

        @Override
        public ListenableFuture<?> closeServiceInstance() {
            events.add(name + " closes");
            return closed;
        }

        @Override
        public ServiceGroupIdentifier getIdentifier() {
            return group;
        }
    }
}
