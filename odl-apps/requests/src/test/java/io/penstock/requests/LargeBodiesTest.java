// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large bodies that do not wait long for one another. */
@Timeout(720)
class LargeBodiesTest extends RequestFilterCase {
    @Override
    Duration patience() {
        return Duration.ofMillis(200);
    }

    @Test
    void theyPassOneAfterTheOther() throws Exception {
        assertThat(send("PUT", NETWORK, TEXT, "{}").statusCode()).as("the user is known").isEqualTo(204);
        final String large = " ".repeat(SMALL + 1);
        final CompletableFuture<HttpResponse<String>> first = client.sendAsync(
            request("PUT", NETWORK + "/slow", TEXT, BodyPublishers.ofString(large)), BodyHandlers.ofString());
        assertThat(working.await(1, TimeUnit.MINUTES)).isTrue();
        final HttpResponse<String> second = send("PUT", NETWORK, TEXT, large);
        assertThat(second.statusCode()).isEqualTo(503);
        assertThat(message(second)).contains("repeat it later");
        assertThat(send("PUT", NETWORK, TEXT, " ".repeat(SMALL)).statusCode()).as("small").isEqualTo(204);
        done.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(send("PUT", NETWORK, TEXT, large).statusCode()).as("afterwards").isEqualTo(204);
    }
}
