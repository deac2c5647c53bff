// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A class of tests on the shared {@link EdgeSystem}, which its constructor or methods take as a parameter. */
@Tag("system")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(SystemExtension.class)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface OnSystem {
    /** See {@code @Order}: of a class that kills what others need, which comes after these. */
    int DESTRUCTIVE = Integer.MAX_VALUE - 1;
    /** Of the class that comes last. */
    int LAST = Integer.MAX_VALUE;
}
