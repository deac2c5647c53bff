// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where frames come from that flood the slow path of a switch, as the agent of the node says (ADR 52). For the thread
 * of one worker, but for {@link #places}.
 */
final class Floods {
    private static final Logger LOG = LoggerFactory.getLogger(Floods.class);

    private final String node;
    private volatile Set<AccessPlace> places = Set.of();

    Floods(final String node) {
        this.node = node;
    }

    /** Where they come from. Safe for all threads. */
    Set<AccessPlace> places() {
        return places;
    }

    /** Takes what the agent says, each as port/VLAN. Says whether that is anything new. */
    boolean take(final Set<String> texts, final Snapshot snapshot) {
        final Set<AccessPlace> now = texts.stream().map(Floods::place).collect(Collectors.toUnmodifiableSet());
        final Set<AccessPlace> before = places;
        if (now.equals(before)) {
            return false;
        }
        places = now;
        snapshot.tenantsOn(node).forEach(tenant -> tenant.attachments().stream()
            .filter(attachment -> attachment.node().equals(node)).forEach(attachment -> log(tenant, attachment,
                before.contains(attachment.place()), now.contains(attachment.place()))));
        return true;
    }

    private void log(final Tenant tenant, final Tenant.Attachment attachment, final boolean before,
            final boolean now) {
        if (now && !before) {
            LOG.warn("Node {}: frames of tenant {} from {}, VLAN {}, flood the slow path and are limited to {} a "
                + "second", node, tenant.name(), attachment.port(), attachment.vlan(), TenantMeter.SLOW_PATH.rate());
        } else if (before && !now) {
            LOG.info("Node {}: frames of tenant {} from {}, VLAN {}, are no longer limited", node, tenant.name(),
                attachment.port(), attachment.vlan());
        }
    }

    private static AccessPlace place(final String text) {
        final int slash = text.indexOf('/');
        return new AccessPlace(text.substring(0, slash), Integer.parseInt(text.substring(slash + 1)));
    }
}
