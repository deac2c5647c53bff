// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.audit;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Settings of the audit log, among those of the controller. */
@ObjectClassDefinition(name = "Penstock's audit log")
public @interface AuditSettings {
    /** Name of this controller in its cluster. */
    @AttributeDefinition
    String member() default "member-1";

    /** Directory of the audit log; below Karaf's directory unless it begins with a slash. */
    @AttributeDefinition
    String audit$_$log() default "audit-log";
}
