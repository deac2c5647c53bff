// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.MessageToMessageDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;

/**
 * Turns one frame into a JSON object and lets through only what a database server sends to its client: answers, echo
 * requests, updates, and the loss of a lock. Anything else ends the connection, so that the library's end point, which
 * logs an error for each message it does not expect, never sees it.
 *
 * <p>A frame of 64 MB may become 1.9 GB of objects, so a frame is read twice: first without keeping anything, to count
 * its parts. Of long frames one at a time is decoded and handed to the end point, which copies it; the other threads
 * for input wait meanwhile, about a second. For the event loop of one channel.
 */
final class PeerMessageDecoder extends MessageToMessageDecoder<ByteBuf> {
    /**
     * Names, values, and beginnings and ends of lists and objects in an answer. The rows of 25,598 tenants, each with a
     * zone, 16 timeouts and five orders and reports, and of 8192 ports are 4 million; a part takes up to 70 bytes.
     */
    static final int MAX_ANSWER_TOKENS = 5_000_000;
    /** The same in an update, where there are no zones. All of 8192 ports, old and new, are half of it. */
    static final int MAX_UPDATE_TOKENS = 1_000_000;
    /** Objects and lists within each other. Rows of maps of UUIDs, the deepest there are, have 10. */
    static final int MAX_DEPTH = 64;

    private static final String RESULT = "result";
    /** Requests and notifications of a database server; "locked" is for those who wait for a lock. */
    private static final Set<String> REQUESTS = Set.of("echo", "update", "stolen");
    private static final int LONG_BYTES = 1 << 20;
    /** Of the process, as is the heap. */
    private static final Object LONG_FRAME = new Object();
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Does not keep names, of which a peer may send as many as it likes. */
    private static final JsonFactory COUNTER = JsonFactory.builder()
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES).disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

    /** Bytes of memory of a name or value, at most. */
    private static final long PART_BYTES = 70;
    private long weight;

    /** Bytes of memory that the message takes which was decoded last, at most. */
    long weight() {
        return weight;
    }

    @Override
    public void channelRead(final ChannelHandlerContext ctx, final Object message) throws Exception {
        if (message instanceof ByteBuf frame && frame.readableBytes() > LONG_BYTES) {
            synchronized (LONG_FRAME) {
                super.channelRead(ctx, message);
            }
        } else {
            super.channelRead(ctx, message);
        }
    }

    @Override
    protected void decode(final ChannelHandlerContext ctx, final ByteBuf frame, final List<Object> out)
            throws IOException {
        final JsonNode message;
        try (InputStream stream = new ByteBufInputStream(frame.duplicate()); JsonParser parser =
                COUNTER.createParser(stream)) {
            weight = frame.readableBytes() + PART_BYTES * count(parser);
        } catch (JsonProcessingException e) {
            throw new CorruptedFrameException("not JSON", e);
        }
        try (InputStream stream = new ByteBufInputStream(frame)) {
            message = MAPPER.readTree(stream);
        } catch (JsonProcessingException e) {
            throw new CorruptedFrameException("not JSON", e);
        }
        final String method = message.path("method").asText("");
        final boolean answer = message.has(RESULT) && message.hasNonNull("id");
        final boolean request = message.has("id") && REQUESTS.contains(method);
        if (!message.isObject() || !answer && !request) {
            throw new CorruptedFrameException("not a message of an OVSDB server");
        }
        out.add(message);
    }

    private static int count(final JsonParser parser) throws IOException {
        boolean answer = false;
        int depth = 0;
        int tokens = 0;
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            tokens++;
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            answer |= depth == 1 && token == JsonToken.FIELD_NAME && RESULT.equals(parser.getCurrentName());
            if (tokens > MAX_ANSWER_TOKENS || depth > MAX_DEPTH) {
                throw new TooLongFrameException("more parts than the largest node has rows for, or too many levels");
            }
        }
        if (tokens > MAX_UPDATE_TOKENS && !answer) {
            throw new TooLongFrameException("an update of more parts than the largest node has ports for");
        }
        return tokens;
    }
}
