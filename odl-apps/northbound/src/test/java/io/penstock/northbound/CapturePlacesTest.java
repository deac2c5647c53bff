// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.operations.CapturePlace;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Attachment;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CapturePlacesTest {
    private static Tenant tenant(final String... attachments) {
        return new Tenant("red", Stream.of(attachments)
            .map(name -> new Attachment(name, "edge1", "acc0", 100 + name.length(), false)).toList(),
            List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void theOnlyAttachmentNeedsNoName() {
        assertThat(CapturePlaces.of(tenant("lan"), Optional.empty()))
            .isEqualTo(new CapturePlace("lan", "edge1", "acc0", 103));
    }

    @Test
    void oneOfSeveralNeedsItsName() {
        final Tenant red = tenant("lan", "plant");
        assertThat(CapturePlaces.of(red, Optional.of("plant")).vlan()).isEqualTo(105);
        assertThatThrownBy(() -> CapturePlaces.of(red, Optional.empty()))
            .hasMessage("attachment: one is needed of tenant 'red', which has: lan, plant");
    }

    @Test
    void whatIsNoAttachmentIsRefused() {
        assertThatThrownBy(() -> CapturePlaces.of(tenant("lan"), Optional.of("la")))
            .hasMessage("attachment: 'la' is not one of tenant 'red', which has: lan");
        assertThatThrownBy(() -> CapturePlaces.of(tenant(), Optional.empty())).hasMessageContaining("which has: none");
    }
}
