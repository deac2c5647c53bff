// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerMessageDecoderTest {
    private static final int MOST_TENANTS = 28_671;
    private static final int MOST_PORTS = 8192;
    private static final int TIMEOUTS = 16;

    private final EmbeddedChannel channel = new EmbeddedChannel(new PeerMessageDecoder());

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void anEchoRequestPasses() {
        assertThat(decode("{\"id\":\"echo\",\"method\":\"echo\",\"params\":[]}").path("method").asText())
            .isEqualTo("echo");
    }

    @Test
    void theRowsOfTheLargestNodePass() {
        final String message = "{\"id\":\"1\",\"error\":null,\"result\":[" + rows(MOST_TENANTS, zone -> "{\"_uuid\":"
            + uuid() + ",\"timeout_policy\":" + uuid() + ",\"external_ids\":[\"map\",["
            + "[\"" + NodeKeys.DNS + "\",\"" + "x".repeat(100) + "\"],[\"" + NodeKeys.DNS_STATE + "\",\"ok\"],"
            + "[\"" + NodeKeys.SESSIONS + "\",\"100000\"],[\"" + NodeKeys.SESSIONS_COUNT + "\",\"1\"],"
            + "[\"" + NodeKeys.SESSIONS_SET + "\",\"100000\"]]]}")
            + "," + rows(MOST_TENANTS, zone -> "{\"_uuid\":" + uuid() + ",\"timeouts\":[\"map\","
            + list(TIMEOUTS, timeout -> "[\"tcp_syn_sent" + timeout + "\",86400]") + "]}")
            + ",{\"rows\":[{\"_uuid\":" + uuid() + ",\"ct_zones\":[\"map\","
            + list(MOST_TENANTS, zone -> "[" + zone + "," + uuid() + "]") + "]}]}"
            + "," + rows(MOST_PORTS, port -> "{\"_uuid\":" + uuid() + ",\"name\":\"p" + port + "\",\"interfaces\":"
            + uuid() + "}")
            + "," + rows(MOST_PORTS, port -> "{\"_uuid\":" + uuid() + ",\"name\":\"p" + port + "\","
            + "\"type\":\"dpdkvhostuserclient\",\"ofport_request\":" + port + ",\"mtu_request\":[\"set\",[]],"
            + "\"options\":[\"map\",[[\"vhost-server-path\",\"/run/p\"]]],\"other_config\":[\"map\",[]],"
            + "\"external_ids\":[\"map\",[[\"" + NodeKeys.FUNCTION + "\",\"x\"],[\""
            + NodeKeys.FUNCTION_STATE + "\",\"running\"]]]}")
            + "]}";
        assertThat(decode(message).path("result")).hasSize(5);
    }

    @Test
    void anUpdateOfAllPortsPasses() {
        final String ports = list(MOST_PORTS, port -> uuid());
        final String state =
            "{\"name\":\"p1\",\"ofport\":1,\"link_state\":\"up\",\"admin_state\":\"up\",\"error\":\"x\"}";
        assertThat(decode("{\"id\":null,\"method\":\"update\",\"params\":[\"penstock\",{\"Bridge\":{\"b\":"
            + change("{\"ports\":[\"set\"," + ports + "]}") + "},\"Port\":{"
            + members(MOST_PORTS, port -> change("{\"name\":\"p1\",\"interfaces\":" + uuid() + "}"))
            + "},\"Interface\":{" + members(MOST_PORTS, port -> change(state)) + "}}]}").path("params")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "{\"a\":[0]}"})
    void moreThanADatabaseHoldsIsRefused(final String part) {
        final String update = (part + ",").repeat(PeerMessageDecoder.MAX_UPDATE_TOKENS / 2);
        assertThatThrownBy(() -> decode("{\"id\":null,\"method\":\"update\",\"params\":[" + update + "0]}"))
            .isInstanceOf(TooLongFrameException.class);
        final String answer = (part + ",").repeat(PeerMessageDecoder.MAX_ANSWER_TOKENS / 2);
        assertThatThrownBy(() -> decode("{\"id\":\"1\",\"error\":null,\"result\":[" + answer + "0]}"))
            .isInstanceOf(TooLongFrameException.class);
    }

    @Test
    void listsWithinListsAreRefused() {
        final int levels = PeerMessageDecoder.MAX_DEPTH;
        assertThatThrownBy(() -> decode("{\"id\":null,\"method\":\"update\",\"params\":" + "[".repeat(levels)
            + "]".repeat(levels) + "}")).isInstanceOf(TooLongFrameException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"id\":1", "{]}", "{\"id\":1,\"method\":\"steal\"}", "[1]"})
    void whatIsNoMessageIsRefused(final String text) {
        assertThatThrownBy(() -> decode(text)).isInstanceOf(CorruptedFrameException.class);
    }

    private JsonNode decode(final String message) {
        channel.writeInbound(Unpooled.wrappedBuffer(message.getBytes(StandardCharsets.UTF_8)));
        return channel.readInbound();
    }

    private static String rows(final int number, final IntFunction<String> row) {
        return "{\"rows\":" + list(number, row) + "}";
    }

    private static String list(final int number, final IntFunction<String> member) {
        return IntStream.range(0, number).mapToObj(member).collect(Collectors.joining(",", "[", "]"));
    }

    private static String members(final int number, final IntFunction<String> member) {
        return IntStream.range(0, number).mapToObj(i -> "\"r" + i + "\":" + member.apply(i))
            .collect(Collectors.joining(","));
    }

    private static String change(final String row) {
        return "{\"old\":" + row + ",\"new\":" + row + "}";
    }

    private static String uuid() {
        return "[\"uuid\",\"" + new UUID(1, 2) + "\"]";
    }
}
