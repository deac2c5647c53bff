// SPDX-License-Identifier: Apache-2.0
package io.penstock.aaa;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.aaa.encrypt.impl.AAAEncryptionServiceImpl;
import org.opendaylight.aaa.encrypt.impl.OSGiEncryptionServiceConfigurator;
import org.opendaylight.mdsal.binding.api.ClusteredDataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.DataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataTreeIdentifier;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.binding.dom.adapter.BindingAdapterFactory;
import org.opendaylight.mdsal.binding.dom.adapter.ConstantAdapterContext;
import org.opendaylight.mdsal.binding.dom.codec.impl.BindingCodecContext;
import org.opendaylight.mdsal.binding.runtime.api.BindingRuntimeContext;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.mdsal.binding.spi.ForwardingDataBroker;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.mdsal.dom.broker.SerializedDOMDataBroker;
import org.opendaylight.mdsal.dom.store.inmemory.InMemoryDOMDataStore;
import org.opendaylight.yang.gen.v1.config.aaa.authn.encrypt.service.config.rev160915.AaaEncryptServiceConfig;
import org.opendaylight.yang.gen.v1.config.aaa.authn.encrypt.service.config.rev160915.AaaEncryptServiceConfigBuilder;
import org.opendaylight.yangtools.concepts.ListenerRegistration;
import org.opendaylight.yangtools.yang.binding.DataObject;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.osgi.service.component.ComponentFactory;
import org.osgi.service.component.ComponentInstance;

/** AAA's own configurator on a real datastore, made to lose the race that it loses in some boots. */
class EncryptionStartTest {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final long SECONDS = 20;
    private static final InstanceIdentifier<AaaEncryptServiceConfig> PATH =
        InstanceIdentifier.create(AaaEncryptServiceConfig.class);
    private static final AaaEncryptServiceConfig STORED = new AaaEncryptServiceConfigBuilder()
        .setEncryptMethod("PBKDF2WithHmacSHA1").setEncryptType("AES").setEncryptIterationCount(1)
        .setEncryptKeyLength(128).setCipherTransforms("AES/CBC/PKCS5Padding").setPasswordLength(12)
        .setEncryptKey("abcdefghijkl").setEncryptSalt("AAAAAAAAAAAAAAAAAAAAAA==").build();

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final BlockingQueue<AAAEncryptionServiceImpl> services = new LinkedBlockingQueue<>();
    private final DOMDataBroker domBroker;
    private final DataBroker broker;
    private EncryptionStart start;

    EncryptionStartTest() {
        final BindingRuntimeContext runtime = BindingRuntimeHelpers.createRuntimeContext();
        final InMemoryDOMDataStore store = new InMemoryDOMDataStore("config", executor);
        store.onModelContextUpdated(runtime.getEffectiveModelContext());
        domBroker = new SerializedDOMDataBroker(Map.of(LogicalDatastoreType.CONFIGURATION, store),
            MoreExecutors.listeningDecorator(executor));
        broker = new BindingAdapterFactory(new ConstantAdapterContext(new BindingCodecContext(runtime)))
            .createDataBroker(domBroker);
    }

    @AfterEach
    void stop() {
        if (start != null) {
            start.stop();
        }
        executor.shutdownNow();
    }

    @Test
    void serviceThatMissedItsConfigurationStarts() throws Exception {
        store(STORED);
        new OSGiEncryptionServiceConfigurator(new DeliversBeforeItReturns(broker), factory());
        assertThat(services).as("started, so there is nothing to repair").isEmpty();

        start = new EncryptionStart(domBroker, () -> !services.isEmpty(), PAUSE);

        final AAAEncryptionServiceImpl service = services.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(service).as("started").isNotNull();
        assertThat(service.decrypt(service.encrypt("text"))).isEqualTo("text");
        assertThat(stored()).isEqualTo(STORED);
    }

    @Test
    void nothingIsStoredBeforeTheFirstStartHasMadeAConfiguration() throws Exception {
        final CountDownLatch checks = new CountDownLatch(3);
        start = new EncryptionStart(domBroker, () -> {
            checks.countDown();
            return false;
        }, PAUSE);
        assertThat(checks.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(stored()).isNull();
    }

    @Test
    void nothingIsStoredWhenTheServiceRuns() throws Exception {
        store(STORED);
        final BlockingQueue<Integer> keyLengths = new LinkedBlockingQueue<>();
        broker.registerDataTreeChangeListener(DataTreeIdentifier.create(LogicalDatastoreType.CONFIGURATION, PATH),
            (DataTreeChangeListener<AaaEncryptServiceConfig>) changes -> changes.forEach(
                change -> keyLengths.add(change.getRootNode().getDataAfter().getEncryptKeyLength())));
        assertThat(keyLengths.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo(128);

        start = new EncryptionStart(domBroker, () -> true, PAUSE);
        assertThat(start.ends(SECONDS)).isTrue();
        // This change is delivered after whatever was stored before it.
        store(new AaaEncryptServiceConfigBuilder(STORED).setEncryptKeyLength(256).build());
        assertThat(keyLengths.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo(256);
    }

    private void store(final AaaEncryptServiceConfig configuration) throws Exception {
        final var transaction = broker.newWriteOnlyTransaction();
        transaction.put(LogicalDatastoreType.CONFIGURATION, PATH, configuration);
        transaction.commit().get(SECONDS, TimeUnit.SECONDS);
    }

    private AaaEncryptServiceConfig stored() throws Exception {
        try (var transaction = broker.newReadOnlyTransaction()) {
            return transaction.read(LogicalDatastoreType.CONFIGURATION, PATH).get(SECONDS, TimeUnit.SECONDS)
                .orElse(null);
        }
    }

    private ComponentFactory<AAAEncryptionServiceImpl> factory() {
        return properties -> {
            final AAAEncryptionServiceImpl service = new AAAEncryptionServiceImpl(asMap(properties));
            services.add(service);
            return new ComponentInstance<>() {
                @Override
                public void dispose() {
                    services.remove(service);
                }

                @Override
                public AAAEncryptionServiceImpl getInstance() {
                    return service;
                }
            };
        };
    }

    private static <V> Map<String, V> asMap(final Dictionary<String, V> properties) {
        return Collections.list(properties.keys()).stream()
            .collect(Collectors.toMap(Function.identity(), properties::get));
    }

    /** The thread that delivers is faster than the one that registers. */
    private static final class DeliversBeforeItReturns extends ForwardingDataBroker {
        private final DataBroker broker;

        DeliversBeforeItReturns(final DataBroker broker) {
            this.broker = broker;
        }

        @Override
        protected DataBroker delegate() {
            return broker;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends DataObject, L extends DataTreeChangeListener<T>> ListenerRegistration<L>
                registerDataTreeChangeListener(final DataTreeIdentifier<T> path, final L listener) {
            final CountDownLatch delivered = new CountDownLatch(1);
            final var registration = super.registerDataTreeChangeListener(path,
                new ClusteredDataTreeChangeListener<T>() {
                    @Override
                    public void onDataTreeChanged(final Collection<DataTreeModification<T>> changes) {
                        listener.onDataTreeChanged(changes);
                        delivered.countDown();
                    }
                });
            Uninterruptibles.awaitUninterruptibly(delivered, SECONDS, TimeUnit.SECONDS);
            return (ListenerRegistration<L>) registration;
        }
    }
}
