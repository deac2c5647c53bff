// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which bodies the filter reads, and which it refuses for their length, depth or sender. */
@Timeout(720)
class BodyBoundsTest extends RequestFilterCase {
    @Test
    void aBodyThatIsTooLongIsRefusedHoweverItComes() throws Exception {
        makeKnown();
        final String longest = " ".repeat(MOST);
        assertThat(send("PUT", NETWORK, TEXT, longest).statusCode()).isEqualTo(204);
        assertThat(received).containsExactly(MOST);
        final HttpResponse<String> announced = send("PUT", NETWORK, TEXT, longest + " ");
        // Without a length: chunks, of which there could be more.
        final HttpResponse<String> chunked = client.send(request("PUT", NETWORK, TEXT, BodyPublishers.ofInputStream(
            () -> new ByteArrayInputStream(new byte[MOST + 1]))), BodyHandlers.ofString());
        for (final HttpResponse<String> answer : List.of(announced, chunked)) {
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(message(answer)).contains("longer than 200000 bytes", "several requests");
        }
        assertThat(received).hasSize(1);
    }

    @Test
    void aBodyThatIsTooDeepIsRefused() throws Exception {
        final String braces = "\"" + "{".repeat(100) + "\\\"" + "[".repeat(100) + "\"";
        assertThat(send("PUT", NETWORK, TEXT, "[" + braces + "]").statusCode()).isEqualTo(204);
        assertThat(send("PUT", NETWORK, TEXT, "[".repeat(64) + "]".repeat(64)).statusCode()).isEqualTo(204);
        assertThat(message(send("PUT", NETWORK, TEXT, "{\"a\":[".repeat(33)))).contains("66 levels", "more than 64");
        assertThat(send("PUT", NETWORK, "application/xml", "<a><b/></a>".repeat(100)).statusCode()).isEqualTo(204);
        assertThat(message(send("PUT", NETWORK, "application/xml", "<a>".repeat(65)))).contains("65 levels");
        assertThat(received).hasSize(3);
    }

    /**
     * The whole answer to a request of whose body one byte is sent, without which Jetty takes no thread for it; the
     * server closes the connection.
     */
    private String answerToBeginning(final String more) throws IOException {
        try (Socket socket = new Socket(connector.getHost(), connector.getLocalPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis() / 3);
            socket.getOutputStream().write(("PUT " + NETWORK + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: 100\r\n" + more + "\r\n{").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void withoutAUserNoBodyIsWaitedFor() throws Exception {
        assertThat(answerToBeginning("")).startsWith("HTTP/1.1 401 ").contains(
            "WWW-Authenticate: BASIC realm=\"application\"", "Connection: close", "a user and a password");
        assertThat(answerToBeginning("Cookie: JSESSIONID=made-up\r\n")).startsWith("HTTP/1.1 401 ");
        assertThat(received).isEmpty();
        final HttpResponse<String> known = send("GET", NETWORK + "/session", TEXT, "");
        final String cookie = known.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        assertThat(client.send(HttpRequest.newBuilder(known.uri()).header("Cookie", cookie)
            .PUT(BodyPublishers.ofString("{}")).build(), BodyHandlers.ofString()).statusCode()).isEqualTo(204);
    }

    @Test
    void strangersDoNotWaitToHaveALargeBodyPassed() throws Exception {
        makeKnown();
        final BodyPublisher large = BodyPublishers.ofString(" ".repeat(SMALL + 1));
        final CompletableFuture<HttpResponse<String>> first =
            client.sendAsync(request("PUT", NETWORK + "/slow", TEXT, large), BodyHandlers.ofString());
        assertThat(working.await(1, TimeUnit.MINUTES)).isTrue();
        final CompletableFuture<HttpResponse<String>> second =
            client.sendAsync(request("PUT", NETWORK, TEXT, large), BodyHandlers.ofString());
        final HttpRequest stranger = request("PUT", NETWORK, TEXT, large, OTHER_USER);
        assertThat(client.send(stranger, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
        assertThat(second).as("a known user waits").isNotDone();
        done.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(second.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(client.send(stranger, BodyHandlers.ofString()).statusCode()).as("alone").isEqualTo(204);
    }

    @Test
    void madeUpUsersTakeThePlacesOfStrangersAlone() throws Exception {
        assertThat(statusOfPut(USER)).as("the user is known from now on").isEqualTo(204);
        assertThat(client.send(request("GET", NETWORK + "/odd", TEXT, BodyPublishers.noBody(), MADE_UP),
            BodyHandlers.ofString()).statusCode()).as("does not tell that it is").isEqualTo(400);
        final CountDownLatch reading = new CountDownLatch(STRANGERS);
        for (int i = 0; i < STRANGERS; i++) {
            CompletableFuture.runAsync(() -> readSlowly(reading));
        }
        assertThat(reading.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(statusOfPut(MADE_UP)).isEqualTo(503);
        assertThat(statusOfPut(USER)).isEqualTo(204);
        final HttpResponse<String> unknown = client.send(put(OTHER_USER), BodyHandlers.ofString());
        assertThat(unknown.statusCode()).isEqualTo(503);
        assertThat(message(unknown)).contains("after a GET that succeeds");
        assertThat(client.send(request("GET", NETWORK, TEXT, BodyPublishers.noBody(), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).isEqualTo(204);
        assertThat(statusOfPut(OTHER_USER)).isEqualTo(204);
    }

    /** Takes a place of a stranger until the end of the test. */
    private void readSlowly(final CountDownLatch reading) {
        try {
            strangers.read(new FilterInputStream(InputStream.nullInputStream()) {
                @Override
                public int read(final byte[] buffer, final int offset, final int length) throws IOException {
                    reading.countDown();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return -1;
                }
            }).close();
        } catch (IOException | BodyBudget.TooLargeException | BodyBudget.BusyException
                | BodyBudget.SlowException e) {
            throw new IllegalStateException(e);
        }
    }

    private void makeKnown() throws Exception {
        assertThat(statusOfPut(USER)).isEqualTo(204);
        received.clear();
    }

    private int statusOfPut(final String authorization) throws Exception {
        return client.send(put(authorization), BodyHandlers.ofString()).statusCode();
    }

    private HttpRequest put(final String authorization) {
        return request("PUT", NETWORK, TEXT, BodyPublishers.ofString("{}"), authorization);
    }

    @Test
    void aSilentSenderIsToldSo() throws Exception {
        connector.setIdleTimeout(500);
        assertThat(answerToBeginning("Authorization: Basic eDp5\r\n")).startsWith("HTTP/1.1 408 ")
            .contains("Connection: close", "did not come in time");
        assertThat(received).isEmpty();
    }
}
