// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * Refuses JSON bodies of the configuration that RESTCONF would refuse, take for something else, or never answer, and
 * names each value that breaks the model: by its entry, its leaf and the rule. RESTCONF's parser tells the rule of the
 * first one alone, and not where it is. Safe for all threads.
 */
final class Bodies {
    /** The end of the parser's words. */
    private static final Pattern POSITION = Pattern.compile(" at (line \\d+ column \\d+)");

    static final String OPERATIONS = "penstock-operations";

    private final Supplier<EffectiveModelContext> models;

    Bodies(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Judges the body of a change.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     * @param isChild whether the body is a child of what the path leads to, as that of a POST, or it is that itself
     * @return why it is refused; empty when it is good, and when RESTCONF is to tell what is wrong with it
     */
    Optional<Refusal> refusal(final String path, final boolean isChild, final byte[] body) {
        return read(path, isChild, body, Set.of(), reader -> Optional.empty());
    }

    /** The refusal of a body that is good by itself, for a rule of the first of some leaves that it has. */
    Optional<Refusal> refusalOf(final Set<String> leaves, final String rule, final String path, final boolean isChild,
            final byte[] body) {
        return read(path, isChild, body, leaves, reader -> reader.ofSought(rule));
    }

    private Optional<Refusal> read(final String path, final boolean isChild, final byte[] body,
            final Set<String> seeking, final Function<BodyReader, Optional<Refusal>> otherwise) {
        final EffectiveModelContext context = models.get();
        final Steps steps = Steps.of(context, path);
        final int outer = steps.steps().size() - (isChild ? 0 : 1);
        if (!steps.isWhole() || outer < 0) {
            return Optional.empty();
        }
        return judged(body, json -> {
            final BodyReader reader = new BodyReader(context, json, seeking);
            return reader.read(steps.steps().subList(0, outer),
                isChild ? Optional.empty() : Optional.of(steps.steps().get(outer).node()))
                .or(() -> otherwise.apply(reader));
        });
    }

    /**
     * Judges the input of an RPC of Penstock.
     *
     * @param name with its module, still percent-encoded
     * @return why it is refused; empty when it is good, and for RPCs of others
     */
    Optional<Refusal> refusalOfInput(final String name, final byte[] body) {
        final EffectiveModelContext context = models.get();
        final String[] names = Steps.decode(name).split(":", 2);
        if (body.length == 0 || names.length < 2 || !names[0].equals(OPERATIONS)) {
            return Optional.empty();
        }
        return context.findModules(names[0]).stream().flatMap(module -> module.getRpcs().stream())
            .filter(rpc -> rpc.getQName().getLocalName().equals(names[1])).findFirst()
            .flatMap(rpc -> judged(body, json -> new BodyReader(context, json, Set.of()).readInput(rpc)));
    }

    /** Something that reads a body. */
    @FunctionalInterface
    private interface Judge {
        Optional<Refusal> judge(JsonReader json) throws IOException;
    }

    private static Optional<Refusal> judged(final byte[] body, final Judge judge) {
        try (JsonReader json = new JsonReader(new InputStreamReader(new ByteArrayInputStream(body),
                StandardCharsets.UTF_8.newDecoder()))) {
            return judge.judge(json);
        } catch (CharacterCodingException e) {
            return Optional.of(Refusal.malformed("the body is not UTF-8"));
        } catch (IOException e) {
            final Matcher position = POSITION.matcher(String.valueOf(e.getMessage()));
            return Optional.of(Refusal.malformed("the body is not JSON (RFC 8259)"
                + (position.find() ? ": " + position.group(1) : "")));
        }
    }
}
