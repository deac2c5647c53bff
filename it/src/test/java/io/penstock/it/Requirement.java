// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test shows what NAT does about a requirement of an RFC, be it kept or not; {@code nat-requirements.txt} says which.
 * docs/nat-conformance.md names the test beside it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Requirement.All.class)
public @interface Requirement {
    /** Number of the RFC. */
    int rfc();

    /** Numbers of the requirements, as the RFC has them: {@code 3}, {@code 3a}. */
    String[] number();

    /** Requirements of several RFCs. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        /** One for each RFC. */
        Requirement[] value();
    }
}
