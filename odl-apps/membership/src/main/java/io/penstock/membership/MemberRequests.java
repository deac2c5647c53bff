// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import akka.actor.AbstractActor;
import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Address;
import akka.actor.Props;
import akka.actor.RootActorPath;
import akka.pattern.Patterns;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.opendaylight.controller.cluster.ActorSystemProvider;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Carries questions as texts over Akka, and the answers as bytes: neither needs a serializer of ours. */
@Component(service = Members.class, immediate = true, configurationPid = "io.penstock")
public final class MemberRequests implements Members {
    /** Below {@code /user} of each member. */
    private static final String NAME = "penstock-questions";

    private final ActorSystem system;
    private final Map<String, Address> addresses;
    private final String own;
    private final Map<String, Answers> topics = new ConcurrentHashMap<>();
    private final ActorRef actor;

    /** Begins to take questions. */
    @Activate
    public MemberRequests(@Reference final ActorSystemProvider akka, final ClusterJoin.Settings settings) {
        system = akka.getActorSystem();
        own = settings.member();
        addresses = Addresses.of(system.name(), settings.members(), settings.cluster$_$port());
        actor = system.actorOf(Props.create(Answering.class, () -> new Answering(topics)), NAME);
    }

    /** Answers one question after the other. */
    static final class Answering extends AbstractActor {
        private final Map<String, Answers> topics;

        Answering(final Map<String, Answers> topics) {
            this.topics = requireNonNull(topics);
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(String.class, text -> getSender().tell(answer(text), getSelf())).build();
        }

        /** Bytes, or a text that says why there are none. */
        @SuppressWarnings("checkstyle:IllegalCatch")
        private Object answer(final String text) {
            final String[] parts = text.split(" ", 2);
            final Answers answers = topics.get(parts[0]);
            try {
                return answers == null || parts.length < 2 ? "it knows no " + parts[0] : answers.answer(parts[1]);
            } catch (IOException | RuntimeException e) {
                return e.toString();
            }
        }
    }

    @Override
    public List<String> others() {
        return addresses.keySet().stream().filter(member -> !member.equals(own)).toList();
    }

    @Override
    public Leadership.Registration serve(final String topic, final Answers answers) {
        topics.put(topic, answers);
        return () -> topics.remove(topic, answers);
    }

    @Override
    public byte[] ask(final String member, final String topic, final String question, final Duration limit)
            throws IOException {
        final Address address = addresses.get(member);
        if (address == null) {
            throw new IOException("there is no member " + member);
        }
        try {
            final Object answer = Patterns.ask(system.actorSelection(new RootActorPath(address, "/").child("user")
                .child(NAME)), topic + " " + question, limit).toCompletableFuture()
                .get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (answer instanceof byte[] bytes) {
                return bytes;
            }
            throw new IOException(member + " has no answer: " + answer);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(member + " does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Answers no more. */
    @Deactivate
    public void stop() {
        system.stop(actor);
    }
}
