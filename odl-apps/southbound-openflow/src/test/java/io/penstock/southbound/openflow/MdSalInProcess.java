// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import com.google.common.collect.ClassToInstanceMap;
import com.google.common.collect.ImmutableClassToInstanceMap;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.NotificationPublishService;
import org.opendaylight.mdsal.binding.api.NotificationService;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.mdsal.binding.dom.adapter.BindingAdapterFactory;
import org.opendaylight.mdsal.binding.dom.adapter.ConstantAdapterContext;
import org.opendaylight.mdsal.binding.dom.codec.impl.BindingCodecContext;
import org.opendaylight.mdsal.binding.runtime.api.BindingRuntimeContext;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.mdsal.dom.api.DOMDataBrokerExtension;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohortRegistry;
import org.opendaylight.mdsal.dom.api.DOMNotificationPublishService;
import org.opendaylight.mdsal.dom.api.DOMNotificationService;
import org.opendaylight.mdsal.dom.api.DOMRpcService;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.mdsal.dom.broker.DOMNotificationRouter;
import org.opendaylight.mdsal.dom.broker.DOMRpcRouter;
import org.opendaylight.mdsal.dom.broker.SerializedDOMDataBroker;
import org.opendaylight.mdsal.dom.spi.FixedDOMSchemaService;
import org.opendaylight.mdsal.dom.spi.ForwardingDOMDataBroker;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * The real MD-SAL in this JVM, with all models of the class path and a datastore in memory; without OSGi and without a
 * cluster. Commits may be refused by cohorts, as in the datastore of a controller.
 */
public final class MdSalInProcess implements AutoCloseable {
    /** The models take seconds to read and do not change. */
    private static final BindingRuntimeContext RUNTIME = BindingRuntimeHelpers.createRuntimeContext();

    private final ExecutorService listeners = Executors.newCachedThreadPool();
    private final ExecutorService commits = Executors.newSingleThreadExecutor();
    private final DOMNotificationRouter notificationRouter = DOMNotificationRouter.create(1024);
    private final DOMSchemaService models = FixedDOMSchemaService.of(model());
    private final DOMRpcRouter rpcRouter = DOMRpcRouter.newInstance(models);
    private final BindingAdapterFactory adapters =
        new BindingAdapterFactory(new ConstantAdapterContext(new BindingCodecContext(RUNTIME)));
    private final DOMDataBroker domBroker = new GuardedBroker(new GuardedStore("config", listeners, model()),
        new GuardedStore("operational", listeners, model()), commits);
    private final DataBroker broker = adapters.createDataBroker(domBroker);

    /** All models of the class path. */
    public EffectiveModelContext model() {
        return RUNTIME.getEffectiveModelContext();
    }

    /** The same, as a service. */
    public DOMSchemaService models() {
        return models;
    }

    /** The datastore by names. */
    public DOMDataBroker domBroker() {
        return domBroker;
    }

    /** The same datastore by generated classes. */
    public DataBroker broker() {
        return broker;
    }

    /** Calls RPCs by names. */
    public DOMRpcService domRpcs() {
        return rpcRouter.getRpcService();
    }

    /** Calls RPCs by generated classes. */
    public RpcConsumerRegistry rpcs() {
        return adapters.createRpcConsumerRegistry(rpcRouter.getRpcService());
    }

    /** Takes implementations of RPCs. */
    public RpcProviderService rpcProvider() {
        return adapters.createRpcProviderService(rpcRouter.getRpcProviderService());
    }

    /** Gives notifications by names. */
    public DOMNotificationService domNotifications() {
        return notificationRouter;
    }

    /** Gives notifications by generated classes. */
    public NotificationService notifications() {
        return adapters.createNotificationService(notificationRouter);
    }

    /** Takes notifications by names. */
    public DOMNotificationPublishService domPublisher() {
        return notificationRouter;
    }

    /** Takes notifications. */
    public NotificationPublishService publisher() {
        return adapters.createNotificationPublishService(notificationRouter);
    }

    @Override
    public void close() {
        notificationRouter.close();
        commits.shutdownNow();
        listeners.shutdownNow();
    }

    /** The broker of MD-SAL with the one extension that it lacks for its store in memory. */
    private static final class GuardedBroker extends ForwardingDOMDataBroker {
        private final DOMDataBroker broker;
        private final ClassToInstanceMap<DOMDataBrokerExtension> extensions;

        GuardedBroker(final GuardedStore config, final GuardedStore operational, final ExecutorService commits) {
            broker = new SerializedDOMDataBroker(Map.of(LogicalDatastoreType.CONFIGURATION, config,
                LogicalDatastoreType.OPERATIONAL, operational), MoreExecutors.listeningDecorator(commits));
            extensions = ImmutableClassToInstanceMap.<DOMDataBrokerExtension>builder()
                .putAll(broker.getExtensions()).put(DOMDataTreeCommitCohortRegistry.class, config).build();
        }

        @Override
        protected DOMDataBroker delegate() {
            return broker;
        }

        @Override
        public ClassToInstanceMap<DOMDataBrokerExtension> getExtensions() {
            return extensions;
        }
    }
}
