// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import io.penstock.events.Details;
import io.penstock.events.EventSink;
import io.penstock.events.Notice;
import io.penstock.events.OperatorEvent;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.opendaylight.mdsal.dom.api.DOMEvent;
import org.opendaylight.mdsal.dom.api.DOMNotification;
import org.opendaylight.mdsal.dom.api.DOMNotificationPublishService;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.builder.DataContainerNodeBuilder;
import org.opendaylight.yangtools.yang.data.impl.codec.TypeDefinitionAwareCodec;
import org.opendaylight.yangtools.yang.data.impl.schema.Builders;
import org.opendaylight.yangtools.yang.data.impl.schema.ImmutableNodes;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.NotificationDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.stmt.SchemaNodeIdentifier.Absolute;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends events as notifications of the model, whatever they are: the model has the types of their leaves. */
public final class Notifications implements EventSink {
    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

    private final Supplier<EffectiveModelContext> models;
    private final DOMNotificationPublishService notifications;
    private final Clock clock;

    private record Sent(Absolute type, ContainerNode body, Instant time) implements DOMNotification, DOMEvent {
        @Override
        public Absolute getType() {
            return type;
        }

        @Override
        public ContainerNode getBody() {
            return body;
        }

        @Override
        public Instant getEventInstant() {
            return time;
        }
    }

    /** Sends by a service of OpenDaylight. */
    public Notifications(final Supplier<EffectiveModelContext> models,
            final DOMNotificationPublishService notifications, final Clock clock) {
        this.models = requireNonNull(models);
        this.notifications = requireNonNull(notifications);
        this.clock = requireNonNull(clock);
    }

    @Override
    public void tell(final OperatorEvent event) {
        tell(Notice.of(event, clock.instant()));
    }

    /** Sends an event of this member or of another one. */
    void tell(final Notice notice) {
        final ContainerNode body = body(models.get(), notice);
        final Sent sent = new Sent(Absolute.of(body.getIdentifier().getNodeType()), body, notice.time());
        if (notifications.offerNotification(sent) == DOMNotificationPublishService.REJECTED) {
            LOG.warn("A notification was dropped: the queue of notifications is full");
        }
    }

    /**
     * The body of the notification of an event.
     *
     * @throws IllegalArgumentException when the model has no such notification, leaf or value
     */
    static ContainerNode body(final EffectiveModelContext models, final Notice event) {
        final String[] name = event.notification().split(":", 2);
        final NotificationDefinition definition = models.findModules(name[0]).stream()
            .flatMap(module -> module.getNotifications().stream())
            .filter(each -> each.getQName().getLocalName().equals(name[1])).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no notification " + event.notification()));
        final Map<String, List<String>> values = new LinkedHashMap<>();
        for (final Details.Leaf leaf : event.details().leaves()) {
            values.computeIfAbsent(leaf.name(), same -> new ArrayList<>()).add(leaf.value());
        }
        final DataContainerNodeBuilder<NodeIdentifier, ContainerNode> body = Builders.containerBuilder()
            .withNodeIdentifier(new NodeIdentifier(definition.getQName()));
        values.forEach((leaf, texts) -> add(body, definition, leaf, texts));
        return body.build();
    }

    private static void add(final DataContainerNodeBuilder<NodeIdentifier, ContainerNode> body,
            final NotificationDefinition definition, final String leaf, final List<String> texts) {
        final QName name = QName.create(definition.getQName(), leaf);
        if (!(definition.dataChildByName(name) instanceof TypedDataSchemaNode typed)) {
            throw new IllegalArgumentException("no leaf " + name);
        }
        final TypeDefinitionAwareCodec<?, ?> codec = TypeDefinitionAwareCodec.from(typed.getType());
        if (typed instanceof LeafListSchemaNode) {
            final var list = Builders.leafSetBuilder().withNodeIdentifier(new NodeIdentifier(name));
            texts.forEach(text -> list.withChildValue(codec.deserialize(text)));
            body.withChild(list.build());
        } else {
            body.withChild(ImmutableNodes.leafNode(name, codec.deserialize(texts.get(0))));
        }
    }
}
