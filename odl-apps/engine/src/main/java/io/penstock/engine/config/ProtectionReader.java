// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;

/** What keeps a tenant from its neighbours and from harm. */
final class ProtectionReader {
    private ProtectionReader() {
        // Only functions.
    }

    static Protection read(final Leaves tenant) throws UnreadableException {
        return new Protection(tenant.leaf("ingress-acl"), tenant.isSet("stateful"),
            tenant.child("quota", ProtectionReader::quota).orElse(Quota.NONE));
    }

    private static Quota quota(final Leaves quota) throws UnreadableException {
        return new Quota(quota.number("sessions"), quota.number("new-sessions"),
            quota.number("bandwidth-out").map(Integer::longValue),
            quota.number("bandwidth-in").map(Integer::longValue), quota.number("controller-packets"),
            quota.number("acl-rules"), quota.number("leases"), quota.number("learned-hosts"));
    }
}
