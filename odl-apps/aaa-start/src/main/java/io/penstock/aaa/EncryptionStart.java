// SPDX-License-Identifier: Apache-2.0
package io.penstock.aaa;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.opendaylight.aaa.encrypt.AAAEncryptionService;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the configuration of AAA's encryption service again, unchanged, until the service runs.
 *
 * <p>{@code OSGiEncryptionServiceConfigurator} registers its listener in its constructor, and ignores what the listener
 * gets before the registration is assigned to its field. The stored configuration is delivered by another thread, once:
 * when that thread is faster, the service never starts, and all of AAA and RESTCONF wait for it. Any later change is
 * delivered again, and a put is a change even if it puts what is there.
 */
@Component(immediate = true, service = {})
public final class EncryptionStart {
    static final YangInstanceIdentifier CONFIGURATION = YangInstanceIdentifier.of(
        QName.create("config:aaa:authn:encrypt:service:config", "2016-09-15", "aaa-encrypt-service-config"));

    private static final Logger LOG = LoggerFactory.getLogger(EncryptionStart.class);

    /** The service follows the datastore within a second, on a busy machine too. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final DOMDataBroker broker;
    private final BooleanSupplier runs;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
        new ThreadFactoryBuilder().setNameFormat("penstock-aaa-start").setDaemon(true).build());

    /** Starts to watch; ends with the service's start. */
    @Activate
    public EncryptionStart(@Reference final DOMDataBroker broker, final BundleContext context) {
        this(broker, () -> context.getServiceReference(AAAEncryptionService.class) != null, FIRST_PAUSE);
    }

    EncryptionStart(final DOMDataBroker broker, final BooleanSupplier runs, final Duration pause) {
        this.broker = requireNonNull(broker);
        this.runs = requireNonNull(runs);
        checkAfter(pause.toNanos());
    }

    /** Ends with the bundle. */
    @Deactivate
    public void stop() {
        thread.shutdownNow();
    }

    /** Waits at most so long for the end of the watch. */
    boolean ends(final long seconds) throws InterruptedException {
        return thread.awaitTermination(seconds, TimeUnit.SECONDS);
    }

    private void checkAfter(final long nanos) {
        thread.schedule(() -> check(nanos), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(final long pause) {
        if (runs.getAsBoolean()) {
            LOG.debug("AAA's encryption service runs");
            thread.shutdown();
            return;
        }
        try {
            storeAgain();
        } catch (InterruptedException e) {
            // Only stop() interrupts.
            Thread.currentThread().interrupt();
            return;
        } catch (ExecutionException e) {
            LOG.warn("The configuration of AAA's encryption service was not stored again, will try again", e);
        }
        checkAfter(Math.min(2 * pause, LONGEST_PAUSE_NANOS));
    }

    /** Does nothing before the first start has stored a configuration: that start does not depend on a listener. */
    private void storeAgain() throws InterruptedException, ExecutionException {
        // Read and put are one transaction: what somebody else stores in between makes it fail, and is kept.
        final var transaction = broker.newReadWriteTransaction();
        final NormalizedNode stored =
            transaction.read(LogicalDatastoreType.CONFIGURATION, CONFIGURATION).get().orElse(null);
        if (stored == null) {
            transaction.cancel();
            return;
        }
        transaction.put(LogicalDatastoreType.CONFIGURATION, CONFIGURATION, stored);
        transaction.commit().get();
        LOG.warn("AAA's encryption service did not start with its stored configuration: stored it again, unchanged");
    }
}
