// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.opendaylight.mdsal.eos.binding.api.Entity;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipCandidateRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipService;
import org.opendaylight.mdsal.eos.common.api.CandidateAlreadyRegisteredException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends waits of OpenDaylight's singleton service that have no end. OpenFlowPlugin serves a switch when the controller
 * has been elected for it, twice: for the service, and then for its end. A switch that disconnects before the second
 * election is over, within some 60 ms, leaves a group behind that waits for the loss of an ownership which it never had
 * ({@code ClusterSingletonServiceGroupImpl.tryReconcileState}, mdsal 11.0.15), and all later connections of the switch
 * wait for that group. Another election ends the wait.
 */
final class Elections {
    private static final Logger LOG = LoggerFactory.getLogger(Elections.class);
    /** Of the entities of the second election; part of no API. */
    private static final String TYPE = "org.opendaylight.mdsal.AsyncServiceCloseEntityType";
    private static final Executor LATER = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);

    private final EntityOwnershipService service;

    Elections(final EntityOwnershipService service) {
        this.service = requireNonNull(service);
    }

    /** Has the controller elected for a switch, and resign half a second later. Does nothing while it is elected. */
    void hold(final SwitchId unserved) {
        try {
            final EntityOwnershipCandidateRegistration candidate =
                service.registerCandidate(new Entity(TYPE, unserved.nodeId()));
            LATER.execute(candidate::close);
        } catch (CandidateAlreadyRegisteredException e) {
            LOG.debug("{} is served, or about to be", unserved, e);
        }
    }
}
