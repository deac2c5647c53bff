// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.util.Optional;

/**
 * The resolver of a tenant on a node does not answer, or does again.
 *
 * @param trouble what the agent of the node says; empty when the resolver answers
 */
public record ResolverEvent(String node, String tenant, Optional<String> trouble) implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-state:resolver-event";
    }

    @Override
    public Severity severity() {
        return trouble.isPresent() ? Severity.ERROR : Severity.NOTICE;
    }

    @Override
    public String text() {
        return "tenant " + tenant + " resolver on " + node + ": "
            + trouble.map(reason -> "dead, " + reason).orElse("alive again");
    }

    @Override
    public Details details() {
        return Details.none().with("event", trouble.isPresent() ? "dead" : "alive").with("node", node)
            .with("tenant", tenant).with("reason", trouble);
    }
}
