// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.repo.api.YangTextSchemaSource;
import org.opendaylight.yangtools.yang.parser.api.YangParserException;
import org.opendaylight.yangtools.yang.parser.impl.DefaultYangParserFactory;

/** What members can store, as they tell each other. */
class KnownPathsTest {
    private static final String BEFORE = """
        module penstock-sample {
          namespace "urn:penstock:sample";
          prefix s;
          revision 2026-01-01;
          container network {
            list pool {
              key name;
              leaf name { type string; }
              choice kind { case plain { leaf plain { type empty; } } }
            }
            leaf seen { config false; type string; }
          }
        }""";
    private static final String AFTER = BEFORE.replace("leaf seen {", "leaf later { type string; } leaf seen {");

    @TempDir
    private Path directory;

    private KnownPaths paths(final String model) {
        return KnownPaths.of(context(model));
    }

    private EffectiveModelContext context(final String model) {
        try {
            final Path file = Files.writeString(directory.resolve("penstock-sample.yang"), model);
            return new DefaultYangParserFactory().createParser().addSource(YangTextSchemaSource.forPath(file))
                .buildEffectiveModel();
        } catch (IOException | YangParserException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<QName> path(final String... names) {
        return Arrays.stream(names).map(name -> QName.create("urn:penstock:sample", "2026-01-01", name))
            .toList();
    }

    @Test
    void dataAreKnownByTheirPathsWithoutChoices() {
        assertThat(paths(BEFORE).has(path("network", "pool", "plain"))).isTrue();
        assertThat(paths(BEFORE).has(path("network", "later"))).isFalse();
        assertThat(paths(BEFORE).has(path("network", "seen"))).isFalse();
        assertThat(paths(BEFORE).has(path("pool", "plain"))).isFalse();
    }

    @Test
    void aLaterModelKnowsMoreAndAnotherRevisionKnowsOthers() {
        assertThat(paths(AFTER).hasAll(paths(BEFORE))).isTrue();
        assertThat(paths(BEFORE).hasAll(paths(AFTER))).isFalse();
        assertThat(paths(BEFORE.replace("2026-01-01", "2026-02-01")).hasAll(paths(BEFORE))).isFalse();
    }

    @Test
    void pathsAreReadAsTheyAreTold() {
        assertThat(KnownPaths.parse(paths(AFTER).text())).contains(paths(AFTER));
        assertThat(KnownPaths.parse("no base 64")).isEmpty();
    }

    @Test
    void membersOfTheClusterAloneKeepDataFromBeingStored() {
        final EffectiveModelContext context = context(AFTER);
        final Models models = new Models(() -> context);
        models.tell("member-2", paths(BEFORE));
        assertThat(models.differ()).isFalse();
        models.present(Set.of("member-2"));
        assertThat(models.differ()).isTrue();
        assertThat(models.lacking(path("network", "later"))).contains("member-2");
        assertThat(models.lacking(path("network", "pool"))).isEmpty();
        models.tell("member-2", paths(AFTER));
        assertThat(models.differ()).isFalse();
    }

    @Test
    void aMemberThatHasNotToldIsTakenToKnowNothing() {
        final EffectiveModelContext context = context(BEFORE);
        final Models models = new Models(() -> context);
        models.present(Set.of("member-3"));
        assertThat(models.differ()).isTrue();
        assertThat(models.lacking(path("network"))).contains("member-3");
    }
}
