// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.operations.CapturePlace;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Attachment;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds where packets of a tenant are captured. */
final class CapturePlaces {
    private CapturePlaces() {
        // Only functions.
    }

    /** The attachment of this name, or the only one. Throws IllegalArgumentException when there is none such. */
    static CapturePlace of(final Tenant tenant, final Optional<String> attachment) {
        final List<Attachment> chosen = tenant.attachments().stream()
            .filter(each -> attachment.isEmpty() || each.name().equals(attachment.orElseThrow())).toList();
        if (chosen.size() != 1) {
            final String names = tenant.attachments().stream().map(Attachment::name).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("attachment: "
                + (attachment.isPresent() ? "'" + attachment.orElseThrow() + "' is not one" : "one is needed")
                + " of tenant '" + tenant.name() + "', which has: " + (names.isEmpty() ? "none" : names));
        }
        final Attachment found = chosen.get(0);
        return new CapturePlace(found.name(), found.node(), found.port(), found.vlan());
    }
}
