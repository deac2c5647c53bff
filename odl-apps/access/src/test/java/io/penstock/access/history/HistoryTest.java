// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.access.audit.AuditLog;
import io.penstock.access.history.ConfigurationChange.Entry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a log that {@link AuditLog} has written. */
class HistoryTest {
    private static final Instant BEGIN = Instant.parse("2026-11-26T12:00:00Z");
    private static final String RED = "/rests/data/penstock:network/tenant=red";

    @TempDir
    private Path parent;

    /** Each line is a second after the one before. */
    private static final class Seconds extends Clock {
        private Instant now = BEGIN;

        @Override
        public Instant instant() {
            now = now.plusSeconds(1);
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(final ZoneId zone) {
            return this;
        }
    }

    private AuditLog log() {
        return new AuditLog(parent.resolve("audit-log"), "member-2", new Seconds());
    }

    private Page page(final Question question) throws IOException {
        return new History(parent.resolve("audit-log"), "member-2").page(question);
    }

    private static Question all(final int last) {
        return new Question(Optional.empty(), Optional.empty(), Optional.empty(), Long.MAX_VALUE, last);
    }

    private static Question of(final String kind, final String name) {
        return new Question(Optional.of(kind), Optional.of(name), Optional.empty(), Long.MAX_VALUE, 500);
    }

    private static JsonObject json(final String text) {
        return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }

    private static JsonObject request(final String path) {
        return json("{'user':'erika','role':'operator','source':'192.0.2.9','method':'PUT','path':'" + path + "'}");
    }

    private static JsonObject result(final int status, final String before, final String after) {
        return json("{'status':" + status + ",'before':[" + before + "],'after':[" + after + "]}");
    }

    private static String at(final String path, final String is) {
        return "{'at':'" + path + "','is':" + is + "}";
    }

    private static void change(final AuditLog log, final String tenant, final String value) throws Exception {
        log.done(log.request(request("/rests/data")), result(200, "",
            at("penstock:network/tenant=" + tenant, "{'name':'" + tenant + "','note':'" + value + "'}")));
    }

    private static Entry entry(final String kind, final String name, final String path, final String before,
            final String after) {
        return new Entry(kind, name, path, Optional.of(before.replace('\'', '"')).filter(text -> !text.isEmpty()),
            Optional.of(after.replace('\'', '"')).filter(text -> !text.isEmpty()), OptionalLong.empty());
    }

    @Test
    void aChangeHasUserAddressEntryAndValues() throws Exception {
        try (AuditLog log = log()) {
            log.done(log.request(request(RED)), result(204,
                at("penstock:network/tenant=red", "{'name':'red','vlan':'1'}"),
                at("penstock:network/tenant=red", "{'name':'red','vlan':'2'}")));
        }
        final Page page = page(all(20));
        assertThat(page.member()).isEqualTo("member-2");
        assertThat(page.changes()).containsExactly(new ConfigurationChange(2, BEGIN.plusSeconds(2), "erika",
            "operator", "192.0.2.9", OptionalInt.of(204), List.of(entry("tenant", "red", "",
                "{'name':'red','vlan':'1'}", "{'name':'red','vlan':'2'}"))));
        assertThat(page.before()).isEmpty();
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void eachPlaceIsAnEntry() throws Exception {
        try (AuditLog log = log()) {
            log.done(log.request(request("/rests/data")), result(200,
                at("penstock:network/tenant=red/attachment=a%2Fb/vlan", "'1'"),
                at("penstock:network/tenant=red/attachment=a%2Fb/vlan", "'2'") + ","
                    + at("penstock:network/pool", "[{'name':'p','drain':'true'},{'name':'q'}]") + ","
                    + at("penstock:network", "{'backbone':{'mtu':'1500'},'node':[{'name':'edge1'}]}") + ","
                    + at("ietf-access-control-list:acls/acl=red:x%2Faces/aces", "{'ace':[]}")));
        }
        assertThat(page(all(1)).changes().get(0).entries()).containsExactly(
            entry("tenant", "red", "attachment=a%2Fb/vlan", "'1'", "'2'"),
            entry("pool", "p", "", "", "{'name':'p','drain':'true'}"), entry("pool", "q", "", "", "{'name':'q'}"),
            entry("backbone", "", "", "", "{'mtu':'1500'}"), entry("node", "edge1", "", "", "{'name':'edge1'}"),
            entry("acl", "red:x/aces", "aces", "", "{'ace':[]}"));
        assertThat(page(of("pool", "q")).changes()).singleElement().satisfies(change ->
            assertThat(change.entries()).extracting(Entry::name).containsExactly("q"));
        assertThat(page(of("tenant", "blue")).changes()).isEmpty();
    }

    /** Other trees have secrets; RPCs and refusals change no configuration. */
    @Test
    void nothingElseIsAChange() throws Exception {
        final String other = at("penstock-allocation:allocations", "{'x':'y'}");
        try (AuditLog log = log()) {
            log.done(log.request(request("/rests/data/penstock-allocation:allocations")), result(204, other, ""));
            log.done(log.request(request("/rests/data")), result(204, other, ""));
            log.done(log.request(request("/rests/operations/penstock-operations:resync")), json("{'status':200}"));
            log.done(log.request(request("/rests/operations/penstock-access:set-user")), json("{'status':204}"));
            log.done(log.request(request("/rests/datax")), result(204, "", at("penstock:network/pool=p", "{}")));
            // The difference is another client's change, which was made at the same time.
            log.done(log.request(request(RED)), result(409, "", at("penstock:network/tenant=red", "{'name':'red'}")));
            log.done(log.request(request(RED)), result(204, "", ""));
            log.refused("refused", request(RED));
        }
        assertThat(page(all(500)).changes()).isEmpty();
    }

    @Test
    void whatTheLogDoesNotTellIsSaid() throws Exception {
        try (AuditLog log = log()) {
            log.done(log.request(request("/rests/data?x=y")), json("{'status':200,'before':[],'after':"
                + "{'bytes':40000,'sha256':'00'}}"));
            log.request(request("/rests/data/penstock%3Anetwork/penstock:tenant=r%65d/quota"));
        }
        final List<ConfigurationChange> changes = page(of("tenant", "red")).changes();
        assertThat(changes).extracting(ConfigurationChange::status)
            .containsExactly(OptionalInt.empty(), OptionalInt.of(200));
        assertThat(changes.get(0).entries()).containsExactly(entry("tenant", "red", "quota", "", ""));
        assertThat(changes.get(1).entries()).containsExactly(new Entry("", "", "", Optional.empty(),
            Optional.empty(), OptionalLong.of(40_000)));
    }

    @Test
    void pagesHaveAllChangesOnceInOrder() throws Exception {
        final int many = 120;
        try (AuditLog log = log()) {
            final List<Long> open = new ArrayList<>();
            for (int index = 0; index < many; index++) {
                open.add(log.request(request(RED)));
                // Results come in another order, and later.
                if (open.size() == 7) {
                    for (int each = open.size() - 1; each >= 0; each--) {
                        log.done(open.get(each), result(200, "", at("penstock:network/tenant=red", "{'name':'red'}")));
                    }
                    open.clear();
                }
            }
        }
        final List<Long> numbers = new ArrayList<>();
        OptionalLong before = OptionalLong.of(Long.MAX_VALUE);
        while (before.isPresent()) {
            final Page page = page(new Question(Optional.empty(), Optional.empty(), Optional.empty(),
                before.getAsLong(), 9));
            page.changes().forEach(change -> numbers.add(change.number()));
            assertThat(page.changes()).hasSizeLessThanOrEqualTo(9);
            before = page.before();
        }
        assertThat(numbers).hasSize(many).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(page(all(500)).changes()).filteredOn(change -> change.status().isEmpty()).hasSize(many % 7);
    }

    @Test
    void theTimeIsTheEnd() throws Exception {
        try (AuditLog log = log()) {
            change(log, "red", "1");
            change(log, "red", "2");
        }
        final Question since = new Question(Optional.empty(), Optional.empty(),
            Optional.of(BEGIN.plus(Duration.ofSeconds(4))), Long.MAX_VALUE, 20);
        assertThat(page(since).changes()).extracting(ConfigurationChange::number).containsExactly(4L);
        assertThat(page(since).before()).isEmpty();
    }

    /** Many segments, of which the older ones are compressed, and results are behind their segment. */
    @Test
    void aQuestionReadsSomeSegmentsAndAllAreFound() throws Exception {
        final String large = "x".repeat(30_000);
        final Set<Long> numbers = new HashSet<>();
        final int segments = 6;
        try (AuditLog log = log()) {
            for (int index = 0; index < segments * 280; index++) {
                final long number = log.request(request("/rests/data"));
                change(log, "blue", large);
                if (index % 100 == 0) {
                    numbers.add(number);
                }
                log.done(number, result(200, "", at("penstock:network/tenant=" + (index % 100 == 0 ? "red" : "blue"),
                    "{'name':'x'}")));
            }
        }
        assertThat(SegmentFiles.of(parent.resolve("audit-log"))).hasSizeGreaterThanOrEqualTo(segments);
        final Set<Long> found = new HashSet<>();
        int pages = 0;
        OptionalLong before = OptionalLong.of(Long.MAX_VALUE);
        while (before.isPresent()) {
            final Page page = page(new Question(Optional.of("tenant"), Optional.of("red"), Optional.empty(),
                before.getAsLong(), 500));
            page.changes().forEach(change -> assertThat(found.add(change.number())).isTrue());
            before = page.before();
            pages++;
        }
        assertThat(found).isEqualTo(numbers);
        assertThat(pages).isBetween(2, 3);
        final Page latest = page(all(500));
        assertThat(latest.changes().stream().mapToLong(ConfigurationChange::length).sum())
            .isLessThanOrEqualTo(SegmentReader.MOST_CHARACTERS);
        assertThat(latest.before()).hasValue(latest.changes().get(latest.changes().size() - 1).number());
    }

    @Test
    void aDamagedLineHidesNoOtherAndALineThatIsWrittenIsNone() throws Exception {
        try (AuditLog log = log()) {
            change(log, "red", "1");
            final Path file = SegmentFiles.of(parent.resolve("audit-log")).get(0).open();
            Files.writeString(file, "{\"number\":9,\"event\":\"request\",\"pa", StandardOpenOption.APPEND);
            assertThat(page(all(20)).changes()).hasSize(1);
            assertThat(page(all(20)).problems()).isEmpty();
            Files.writeString(file, "\nno\n{\"event\":\"request\"}\n{\"event\":\"done\",\"request\":[]}\n"
                + "x".repeat(Lines.MOST + 1) + "\n\n[]\n", StandardOpenOption.APPEND);
        }
        assertThat(page(all(20)).changes()).hasSize(1);
        assertThat(page(all(20)).problems()).singleElement().asString().startsWith("7 lines of the audit log");
    }

    @Test
    void aSegmentThatCannotBeReadIsNamed() throws Exception {
        try (AuditLog log = log()) {
            change(log, "red", "1");
        }
        final Path directory = parent.resolve("audit-log");
        Files.writeString(directory.resolve("audit-000000000000.jsonl.gz"), "garbage");
        try (OutputStream zip = new GZIPOutputStream(Files.newOutputStream(directory.resolve("audit-x.jsonl.gz")))) {
            zip.write('x');
        }
        final Page page = page(all(20));
        assertThat(page.changes()).hasSize(1);
        assertThat(page.problems()).singleElement().asString().contains("segment audit-0", "cannot be read");
    }

    @Test
    void noLogIsNoError() throws Exception {
        assertThat(page(all(20)).changes()).isEmpty();
        assertThat(page(all(20)).before()).isEmpty();
    }

    @Test
    void aQuestionThatIsNoneIsRefused() {
        assertThatThrownBy(() -> all(0)).hasMessage("last: is not in 1..500");
        assertThatThrownBy(() -> all(501)).hasMessage("last: is not in 1..500");
        assertThatThrownBy(() -> new Question(Optional.empty(), Optional.of("red"), Optional.empty(), 1, 1))
            .hasMessage("name: needs kind, such as tenant");
    }
}
