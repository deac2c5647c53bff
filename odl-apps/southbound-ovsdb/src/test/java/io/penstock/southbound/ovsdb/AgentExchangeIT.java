// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.testkit.NodeProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Orders that the agent of a node answers, in a real database; the test plays the part of the agent. */
@Timeout(720)
class AgentExchangeIT extends ConnectedNode {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Pattern ORDER = Pattern.compile(NodeKeys.TRACE + "=\"([0-9a-f-]{36}) (.*?)\"[,}]");
    private static final Pattern CACHE_ORDER = Pattern.compile(NodeKeys.CACHE + "=\"?([^,}\"]+)\"?");

    private static final Pattern QUESTION = Pattern.compile(NodeKeys.ORDERS + "=\"?([^,}\"]+)\"?");

    @BeforeEach
    void makeBridge() {
        node.vsctl("add-br", "br-penstock", "--", "set", "Bridge", "br-penstock", "external_ids:owner=ann");
    }

    private String ids() {
        return node.vsctl("get", "Bridge", "br-penstock", "external_ids");
    }

    private Matcher order() {
        final Matcher order = ORDER.matcher(ids());
        Await.until("an order", () -> order.reset(ids()).find());
        return order;
    }

    private void answer(final String id, final String text) {
        node.vsctl("set", "Bridge", "br-penstock",
            "external_ids:" + NodeKeys.TRACE_REPORT + "=\"" + id + " " + text + "\"");
    }

    @Test
    void anAnswerIsTheOneToTheOrder() throws Exception {
        answer("00000000-0000-0000-0000-000000000000", "old");
        final CompletableFuture<String> answer = session.trace("ask", LONG);
        final Matcher order = order();
        assertThat(order.group(2)).isEqualTo("ask");
        assertThat(answer).isNotDone();
        answer(order.group(1), "told");
        assertThat(answer.get(3, TimeUnit.MINUTES)).isEqualTo("told");
        assertThat(ids()).doesNotContain(NodeKeys.TRACE + "=").contains("owner=ann");
    }

    @Test
    void cachedFlowsAreDroppedWhenTheNewestOrderIsCarriedOut() throws Exception {
        final CompletableFuture<Void> first = session.dropCachedFlows();
        final String order = cacheOrder("");
        final CompletableFuture<Void> second = session.dropCachedFlows();
        final String newest = cacheOrder(order);
        node.vsctl("set", "Bridge", "br-penstock", "external_ids:" + NodeKeys.CACHE_DONE + "=" + order);
        assertThat(session.report().thenCompose(report -> session.report()).get(3, TimeUnit.MINUTES)).isNotNull();
        assertThat(second).isNotDone();
        node.vsctl("set", "Bridge", "br-penstock", "external_ids:" + NodeKeys.CACHE_DONE + "=" + newest);
        first.get(3, TimeUnit.MINUTES);
        second.get(3, TimeUnit.MINUTES);
        assertThat(ids()).contains("owner=ann");
    }

    @Test
    void theAgentSaysHowFarItIs() throws Exception {
        final CompletableFuture<OrdersReport> first = session.carriedOut(LONG);
        final String question = question("");
        final CompletableFuture<OrdersReport> second = session.carriedOut(LONG);
        final String newest = question(question);
        report("{\"order\": \"" + question + "\", \"waiting\": {\"7\": \"starts\"}, \"failed\": {}}");
        assertThat(session.report().thenCompose(report -> session.report()).get(3, TimeUnit.MINUTES)).isNotNull();
        assertThat(first).isNotDone();
        report("{\"order\": \"" + question + "\", \"waiting\": {}, \"failed\": {\"8\": \"no\"}, \"more\": 3}");
        assertThat(first.get(3, TimeUnit.MINUTES).failed()).isEqualTo(Map.of(8, "no"));
        assertThat(first.join().more()).isEqualTo(3);
        assertThat(second).as("asked later").isNotDone();
        final CompletableFuture<OrdersReport> third = session.carriedOut(Duration.ofSeconds(1));
        report("{\"order\": \"" + newest + "\", \"waiting\": {}}");
        assertThat(second.get(3, TimeUnit.MINUTES).isDone()).isTrue();
        assertThat(third.get(3, TimeUnit.MINUTES).answered()).as("nothing is said of the third").isFalse();
        assertThat(ids()).contains("owner=ann");
    }

    @Test
    void theLastWordBeforeTheLimitIsTheAnswer() throws Exception {
        final OrdersReport expected = new OrdersReport(true, new TreeMap<>(Map.of(7, "starts")), new TreeMap<>(), 0);
        OrdersReport said = OrdersReport.SILENT;
        String before = "";
        // The test, which is the agent, may be slower than the first limits are long.
        for (int seconds = 1; seconds < 100 && !said.answered(); seconds *= 2) {
            final CompletableFuture<OrdersReport> waiting = session.carriedOut(Duration.ofSeconds(seconds));
            before = question(before);
            report("{\"order\": \"" + before
                + "\", \"waiting\": {\"7\": \"starts\", \"x\": \"\", \"123456\": \"\"}}");
            said = waiting.get(3, TimeUnit.MINUTES);
        }
        assertThat(said).isEqualTo(expected);
    }

    @Test
    void whatIsNoReportOfThisSessionIsNone() throws Exception {
        for (final String text : List.of("{", "[]", "7", "{\"order\": \"0 1\"}", "{\"order\": 7}",
                "{\"order\": {}}")) {
            final CompletableFuture<OrdersReport> waiting = session.carriedOut(Duration.ofMillis(300));
            report(text);
            assertThat(waiting.get(3, TimeUnit.MINUTES)).as(text).isEqualTo(OrdersReport.SILENT);
        }
    }

    private void report(final String json) {
        node.vsctl("set", "Bridge", "br-penstock",
            "external_ids:" + NodeKeys.ORDERS_DONE + "=\"" + json.replace("\"", "\\\"") + "\"");
    }

    /** A question how far the agent is, another one than this. */
    private String question(final String before) {
        final Matcher question = QUESTION.matcher(ids());
        Await.until("a question", () -> question.reset(ids()).find() && !question.group(1).equals(before));
        NodeProtocol.DEFINED.checkForm(NodeKeys.ORDERS, question.group(1));
        return question.group(1);
    }

    /** An order to drop cached flows, another one than this. */
    private String cacheOrder(final String before) {
        final Matcher order = CACHE_ORDER.matcher(ids());
        Await.until("an order", () -> order.reset(ids()).find() && !order.group(1).equals(before));
        NodeProtocol.DEFINED.checkForm(NodeKeys.CACHE, order.group(1));
        return order.group(1);
    }

    @Test
    void anAgentThatDropsNothingIsNotWaitedFor() {
        final CompletableFuture<Void> dropped = session.dropCachedFlows();
        assertThatThrownBy(() -> dropped.get(3, TimeUnit.MINUTES))
            .hasCauseInstanceOf(java.util.concurrent.TimeoutException.class);
        assertThat(cacheOrder("")).isNotEmpty();
    }

    @Test
    void ordersWaitForOneAnotherAndNotForEver() throws Exception {
        final CompletableFuture<String> first = session.trace("first", LONG);
        final CompletableFuture<String> second = session.trace("second", LONG);
        final Matcher order = order();
        assertThat(order.group(2)).isEqualTo("first");
        answer(order.group(1), "one");
        assertThat(first.get(3, TimeUnit.MINUTES)).isEqualTo("one");
        Await.until("the second order", () -> order.reset(ids()).find() && order.group(2).equals("second"));
        answer(order.group(1), "two");
        assertThat(second.get(3, TimeUnit.MINUTES)).isEqualTo("two");
    }

    @Test
    void whoDoesNotAnswerIsNotWaitedForAndNothingStays() {
        final CompletableFuture<String> silent = session.trace("ask", Duration.ofMillis(500));
        assertThatThrownBy(() -> silent.get(3, TimeUnit.MINUTES))
            .hasRootCauseInstanceOf(java.util.concurrent.TimeoutException.class)
            .hasMessageContaining("the agent did not answer within 500 ms");
        assertThat(ids()).doesNotContain(NodeKeys.TRACE);
    }

    @Test
    void anOrderThatASlowDatabaseGetsTooLateIsTakenAway() {
        node.freezeServer();
        final CompletableFuture<String> late = session.trace("ask", Duration.ofMillis(1));
        node.thawServer();
        assertThatThrownBy(() -> late.get(3, TimeUnit.MINUTES))
            .hasMessageContaining("the agent did not answer within 1 ms");
        assertThat(ids()).doesNotContain(NodeKeys.TRACE).contains("owner=ann");
    }

    @Test
    void tooManyAreRefused() throws Exception {
        // The others wait until the first is answered, which takes as long as the test wants.
        final CompletableFuture<String> first = session.trace("first", LONG);
        final List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int count = 1; count < 16; count++) {
            waiting.add(session.trace("ask", Duration.ofMillis(50)));
        }
        assertThatThrownBy(() -> session.trace("ask", LONG).get(3, TimeUnit.MINUTES))
            .hasMessageContaining("16 traces wait");
        answer(order().group(1), "one");
        assertThat(first.get(3, TimeUnit.MINUTES)).isEqualTo("one");
        waiting.forEach(each -> assertThatThrownBy(() -> each.get(3, TimeUnit.MINUTES))
            .hasMessageContaining("did not answer"));
        assertThatThrownBy(() -> session.trace("ask", Duration.ofMillis(100)).get(3, TimeUnit.MINUTES))
            .hasMessageContaining("did not answer");
    }

    @Test
    void aNodeThatGoesAnswersNoMore() {
        final CompletableFuture<String> answer = session.trace("ask", LONG);
        order();
        node.killServer();
        assertThatThrownBy(() -> answer.get(3, TimeUnit.MINUTES)).hasMessageContaining("disconnected");
    }
}
