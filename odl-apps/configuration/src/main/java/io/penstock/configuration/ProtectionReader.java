// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;

/** What keeps a tenant from its neighbours and from harm. */
final class ProtectionReader {
    private ProtectionReader() {
        // Only functions.
    }

    static Protection read(final Leaves tenant) throws UnreadableException {
        return new Protection(tenant.leaf("ingress-acl"), tenant.isSet("stateful"),
            tenant.inside("quota", ProtectionReader::quota));
    }

    private static Quota quota(final Leaves quota) throws UnreadableException {
        return new Quota(quota.optional("sessions", ProtectionReader::limit),
            quota.optional("new-sessions", ProtectionReader::limit),
            quota.optional("fragments", ProtectionReader::limit),
            quota.number("bandwidth-out").map(Integer::longValue),
            quota.number("bandwidth-in").map(Integer::longValue), quota.number("controller-packets"),
            quota.number("acl-rules"), quota.optional("leases", ProtectionReader::limit), !quota.has("leases"),
            quota.number("learned-hosts"));
    }

    /** A number, or the word of the model for none. */
    private static int limit(final String text) {
        return text.equals("unlimited") ? Quota.UNLIMITED : Leaves.toInt(text);
    }
}
