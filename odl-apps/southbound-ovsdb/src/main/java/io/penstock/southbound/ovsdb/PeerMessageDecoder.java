// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.MessageToMessageDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Turns one frame into a JSON object and lets through only what a database server sends to its client: answers, echo
 * requests and updates. Anything else ends the connection, so that the library's end point, which logs an error for
 * each message it does not expect, never sees it.
 */
final class PeerMessageDecoder extends MessageToMessageDecoder<ByteBuf> {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override
    protected void decode(final ChannelHandlerContext ctx, final ByteBuf frame, final List<Object> out)
            throws IOException {
        final JsonNode message;
        try (InputStream stream = new ByteBufInputStream(frame)) {
            message = MAPPER.readTree(stream);
        } catch (JsonProcessingException e) {
            throw new CorruptedFrameException("not JSON", e);
        }
        final String method = message.path("method").asText("");
        final boolean answer = message.has("result") && message.hasNonNull("id");
        final boolean request = message.has("id") && ("echo".equals(method) || "update".equals(method));
        if (!message.isObject() || !answer && !request) {
            throw new CorruptedFrameException("not a message of an OVSDB server");
        }
        out.add(message);
    }
}
