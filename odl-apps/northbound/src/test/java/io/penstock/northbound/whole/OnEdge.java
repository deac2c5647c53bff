// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A class of tests on the shared {@link Edge}, which its constructor or methods take as a parameter. */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
@ExtendWith(EdgeExtension.class)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface OnEdge { }
